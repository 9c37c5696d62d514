"""rust-analyzer, spoken to over the Language Server Protocol."""

import json
import subprocess
import threading

# Loading the library and building its macros takes most of it, the first time.
PATIENCE = 600
# The error code of the protocol for an answer that would be about an outdated text.
CONTENT_MODIFIED = -32801


class Server:
    def __init__(self, main, environment):
        self.uri = main.as_uri()
        self.folder = main.parents[1]
        self.environment = environment
        self.answers, self.quiet, self.version = {}, False, 1
        self.changed = threading.Condition()

    def __enter__(self):
        self.process = subprocess.Popen(
            ["rust-analyzer"], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        threading.Thread(target=self._listen, daemon=True).start()
        capabilities = {"experimental": {"serverStatusNotification": True}}
        capabilities["textDocument"] = {"hover": {"contentFormat": ["plaintext"]}}
        options = {"checkOnSave": False, "cachePriming": {"enable": False}}
        parameters = {"processId": None, "rootUri": self.folder.as_uri()}
        self._ask("initialize", parameters | {"capabilities": capabilities, "initializationOptions": options})
        self._tell("initialized", {})
        text = (self.folder / "src" / "main.rs").read_text()
        self._tell("textDocument/didOpen", {"textDocument": self._document() | {"languageId": "rust", "text": text}})
        with self.changed:
            if not self.changed.wait_for(lambda: self.quiet, PATIENCE):
                raise TimeoutError("rust-analyzer is not ready")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def hover(self, text, cursor):
        """What is shown of the word at the cursor."""
        answer = self._at("textDocument/hover", text, cursor)
        return answer["contents"]["value"] if answer else ""

    def completion(self, text, cursor):
        """The words that are proposed at the cursor."""
        answer = self._at("textDocument/completion", text, cursor) or []
        items = answer["items"] if isinstance(answer, dict) else answer
        return [item["label"] for item in items]

    def definition(self, text, cursor):
        """The files that the word at the cursor leads to."""
        places = self._at("textDocument/definition", text, cursor) or []
        return [place["uri"].rsplit("/", 1)[-1] for place in places]

    def _at(self, method, text, cursor):
        self.version += 1
        self._tell("textDocument/didChange", {"textDocument": self._document(), "contentChanges": [{"text": text}]})
        before = text[:cursor]
        position = {"line": before.count("\n"), "character": cursor - before.rfind("\n") - 1}
        return self._ask(method, {"textDocument": {"uri": self.uri}, "position": position})

    def _document(self):
        return {"uri": self.uri, "version": self.version}

    def _ask(self, method, parameters):
        while True:
            answer = self._answer(method, parameters)
            error = answer.get("error")
            if error is None:
                return answer.get("result")
            # A file of the library was saved while rust-analyzer was thinking.
            if error["code"] != CONTENT_MODIFIED:
                raise RuntimeError(f"{method}: {error['message']}")

    def _answer(self, method, parameters):
        with self.changed:
            number = len(self.answers) + 1
            self.answers[number] = None
        self._send({"id": number, "method": method, "params": parameters})
        with self.changed:
            if not self.changed.wait_for(lambda: self.answers[number] is not None, PATIENCE):
                raise TimeoutError(f"no answer to {method}")
            return self.answers[number]

    def _tell(self, method, parameters):
        self._send({"method": method, "params": parameters})

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _listen(self):
        while line := self.process.stdout.readline():
            length = int(line.split(b":")[1])
            while self.process.stdout.readline().strip():
                pass
            self._hear(json.loads(self.process.stdout.read(length)))

    def _hear(self, message):
        with self.changed:
            if "method" not in message:
                self.answers[message["id"]] = message
            elif message["method"] == "experimental/serverStatus":
                self.quiet = message["params"]["quiescent"]
            elif "id" in message:
                self._send({"id": message["id"], "result": None})
            self.changed.notify_all()
