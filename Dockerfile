# The service in one image: code, models, nothing else. Built from the locked dependencies, run as nobody.
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m pip install --no-cache-dir uv && python -m venv /opt/surefoot
COPY requirements.lock ./
RUN uv pip install --no-cache --python /opt/surefoot/bin/python --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY models ./models
COPY src ./src
RUN uv pip install --no-cache --python /opt/surefoot/bin/python --no-deps --no-build-isolation ./models .

FROM python:3.12-slim
COPY --from=build /opt/surefoot /opt/surefoot
RUN useradd --system --uid 10001 --create-home surefoot && mkdir /data && chown surefoot /data
USER surefoot
WORKDIR /data
ENV PATH=/opt/surefoot/bin:$PATH PYTHONUNBUFFERED=1 SUREFOOT_KB=/data/kb SUREFOOT_HOST=0.0.0.0
VOLUME /data
EXPOSE 8808 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8808/healthz', timeout=2)"]
CMD ["surefoot", "serve"]
