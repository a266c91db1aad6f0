"""Surefoot inside other frameworks: a retriever and a verifier for each, and an assertion for pytest."""
