from django.db import migrations

TOPICS = ("portal.push", "portal.mail", "portal.webhook")


def outside(apps, schema_editor):
    """Messages that wait go over to their own lane, one topic at a time as before."""
    rows = apps.get_model("eventstore", "OutboxRow").objects.using(schema_editor.connection.alias)
    for topic in TOPICS:
        rows.filter(topic=topic).update(lane="outside", receiver=topic)


class Migration(migrations.Migration):

    dependencies = [
        ("eventstore", "0009_outboxrow_receiver"),
        ("portal", "0004_mail"),
    ]

    operations = [migrations.RunPython(outside, migrations.RunPython.noop)]
