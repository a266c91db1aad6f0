"""The embedded models: ONNX sessions, loaded on first use, sha256 checked."""

from surefoot.encoders.embedder import OnnxEmbedder
from surefoot.encoders.grounder import OnnxGrounder
from surefoot.encoders.reranker import OnnxReranker

__all__ = ["OnnxEmbedder", "OnnxGrounder", "OnnxReranker"]
