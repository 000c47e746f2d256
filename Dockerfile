# The product in one image: server, worker and clock differ by their command only.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 \
    DATA_DIR=/data PORT=8000

RUN useradd --system --uid 10001 --home-dir /data headjudge \
    && install -d -o headjudge -g headjudge -m 700 /data
WORKDIR /srv/headjudge

COPY requirements.txt .
RUN pip install --disable-pip-version-check --require-hashes -r requirements.txt

COPY . .
RUN python -m tools.messages compile

USER headjudge
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-m", "tools.healthy"]

CMD ["sh", "-c", "python manage.py migrate --noinput && python manage.py load_shipped && exec uvicorn config.asgi:application --host 0.0.0.0 --port \"$PORT\" --lifespan off --timeout-graceful-shutdown 5"]
