import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Tokens get an id, scopes, an event, times of use and of ending. The old ones had no scope
    that could be carried over, and no page ever made one: they end here."""

    dependencies = [
        ("people", "0001_initial"),
    ]

    operations = [
        migrations.DeleteModel(name="ApiToken"),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.CharField(max_length=36, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("label", models.CharField(max_length=60)),
                ("scopes", models.JSONField()),
                ("event_id", models.CharField(blank=True, max_length=36)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="people.person"
                    ),
                ),
            ],
            options={"ordering": ["-created_at", "id"]},
        ),
    ]
