# The service in one image: code, models, nothing else. Built from the locked dependencies, run as nobody.
FROM python:3.12-slim AS build
WORKDIR /src
# Compiled here, because a read-only root keeps nothing and each start would take seconds longer; by hash, because
# a layer rounds the files' times and Python would take what was compiled for out of date.
ENV UV_COMPILE_BYTECODE=1 PYC_INVALIDATION_MODE=UNCHECKED_HASH
RUN python -m pip install --no-cache-dir uv && python -m venv --without-pip /opt/surefoot
COPY requirements.lock pyproject.toml ./
# The lock also holds what only development needs; as constraints it gives versions and hashes to what is named here.
RUN uv pip install --no-cache --python /opt/surefoot/bin/python --require-hashes \
  -c requirements.lock -r pyproject.toml --extra all
COPY README.md LICENSE ./
COPY models ./models
COPY models-accurate ./models-accurate
COPY src ./src
RUN uv pip install --no-cache --python /opt/surefoot/bin/python --no-deps \
  --build-constraints requirements.lock ./models ./models-accurate .

FROM python:3.12-slim
COPY --from=build /opt/surefoot /opt/surefoot
RUN useradd --uid 10001 --create-home surefoot && mkdir /data && chown surefoot /data
USER surefoot
WORKDIR /data
ENV PATH=/opt/surefoot/bin:$PATH PYTHONUNBUFFERED=1 SUREFOOT_KB=/data/kb SUREFOOT_HOST=0.0.0.0
VOLUME /data
EXPOSE 8808 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8808/healthz', timeout=2)"]
CMD ["surefoot", "serve"]
