// Perfetto's trace processor, as WebAssembly of its user interface, behind a Unix socket.
//
//   node trace_engine.mjs FOLDER SOCKET
//
// FOLDER holds engine_bundle.js and trace_processor.wasm. A connection carries remote procedure
// calls of the trace processor: requests in, replies out. Prints a line when it listens, and exits
// at the end of its input.
import { webcrypto } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import vm from "node:vm";

const [folder, address] = process.argv.slice(2);

// The bundle expects a worker of a browser, which fetches the WebAssembly file by its name.
class LocalRequest {
  open(method, name) {
    this.file = path.join(folder, name);
  }
  send() {
    this.response = fs.readFileSync(this.file);
  }
}

function workerScope() {
  const scope = {
    WorkerGlobalScope: Object,
    XMLHttpRequest: LocalRequest,
    console: new console.Console(process.stderr),
    crypto: webcrypto,
    location: { href: "" },
    performance,
    TextDecoder,
  };
  scope.self = scope;
  return vm.createContext(scope);
}

// Starts the engine; its end of the channel has onmessage and calls reply.
function startEngine(reply) {
  const scope = workerScope();
  const file = path.join(folder, "engine_bundle.js");
  vm.runInContext(fs.readFileSync(file, "utf8"), scope, { filename: file });
  const port = { postMessage: reply };
  scope.onmessage({ data: port });
  const Bytes = vm.runInContext("Uint8Array", scope);  // the bundle knows only its own
  return (request) => port.onmessage({ data: new Bytes(request) });
}

let connection;
const call = startEngine((bytes) => connection.write(bytes));  // replies come before call returns

const server = net.createServer((client) => {
  client.on("data", (bytes) => {
    connection = client;
    call(bytes);
  });
});
server.listen(address, () => console.log("ready"));
process.stdin.on("end", () => process.exit()).resume();
