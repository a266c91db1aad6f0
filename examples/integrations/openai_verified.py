"""An OpenAI client that lets only proven text through: `python examples/integrations/openai_verified.py`.

A scripted server on loopback stands for the model; with a real one, leave `base_url` out.
"""

import openai

import surefoot
from surefoot.testing.server import LocalModelServer, ServerPlan

SOURCES = ["The late fee for a DVD is R5 a day. The desk closes at 18:00."]


def main() -> str:
    careless = ServerPlan(reply=lambda body: "The late fee for a DVD is R9 a day.")
    with LocalModelServer(careless) as server:
        client = surefoot.openai.verified(openai.OpenAI(base_url=server.base_url, api_key="none"), sources=SOURCES)
        question = {"role": "user", "content": "What is the late fee for a DVD?"}
        reply = client.chat.completions.create(model="any", messages=[question])
    return f"{reply.surefoot[0].decision}: {reply.choices[0].message.content}"


if __name__ == "__main__":
    print(main())
