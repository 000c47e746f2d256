# The product in one image: server, worker, clock and preparation differ by their command only.
# Built and read in docs/deployment.md.
FROM python:3.13-slim-trixie AS build

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY requirements.txt /tmp/
RUN /opt/venv/bin/pip install --require-hashes --only-binary :all: -r /tmp/requirements.txt \
    && /opt/venv/bin/pip uninstall --yes pip

WORKDIR /srv/headjudge
COPY . .
# The key that this makes stays in /tmp of this stage: nothing of it is in the image.
RUN /opt/venv/bin/python -m tools.messages compile \
    && DATA_DIR=/tmp/data STATIC_DIR=/srv/static \
       /opt/venv/bin/python manage.py collectstatic --noinput \
    && /opt/venv/bin/python -m compileall -q /srv/headjudge


FROM python:3.13-slim-trixie

LABEL org.opencontainers.image.title="Headjudge" \
      org.opencontainers.image.description="Event-sourced tournament and judge system for card duels"
ENV PATH="/opt/venv/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    DATA_DIR=/data STATIC_DIR=/srv/static BIND=0.0.0.0 PORT=8000 LOG_FORMAT=json

RUN groupadd --system --gid 10001 headjudge \
    && useradd --system --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin headjudge \
    && install -d -o headjudge -g headjudge -m 700 /data
# Owned by root: the product cannot change itself.
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv /srv

WORKDIR /srv/headjudge
USER 10001:10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-m", "tools.healthy"]

CMD ["python", "-m", "config.server"]
