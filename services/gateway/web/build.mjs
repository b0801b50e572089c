// Builds the page: generates the messages from proto/, draws the deck, bundles the sources and
// writes files with hashed names, each with its .gz and .br files beside it.
//
//   node build.mjs [--work DIR] [--out DIR] [--serve PORT --door URL]
//
// DIR of --work keeps the npm packages and the generated sources between builds. A build with
// unchanged inputs does nothing. --serve builds again after every change of a source, and reloads the
// browser; calls go to the door at URL.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync,
  watch, writeFileSync,
} from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { icons } from "./deck/icon.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../../..");
const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const work = resolve(argument("--work") ?? join(root, "build/web"));
const out = resolve(argument("--out") ?? join(root, "build/page"));

// The protos of the services that players may call, and of the error details.
const PROTOS = [
  "google/rpc/error_details.proto", "google/rpc/status.proto",
  "tarot/gateway/v1/session_service.proto", "tarot/rules/v1/table_service.proto",
  "tarot/rules/v1/record_service.proto", "tarot/rules/v1/rule_set_service.proto",
  "tarot/matchmaking/v1/matchmaking_service.proto", "tarot/matchmaking/v1/room_service.proto",
  "tarot/matchmaking/v1/friend_service.proto", "tarot/ratings/v1/rating_service.proto",
  "tarot/bot/v1/analysis_service.proto",
];

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  }).sort();
}

function digest(paths) {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest("hex");
}

const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

// Installs the packages of the lock file. Does nothing if the lock file has not changed since the
// last installation.
function install() {
  const stamp = digest([join(here, "package.json"), join(here, "package-lock.json")]);
  if (read(join(work, "packages.stamp")) === stamp) return;
  mkdirSync(work, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    cpSync(join(here, name), join(work, name));
  }
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: work, stdio: ["ignore", 2, 2] });
  writeFileSync(join(work, "packages.stamp"), stamp);
}

// The page shows only these parameters of a rule set. The build removes all other parameters from
// the messages of the page, so that the page is smaller. A parser skips fields that it does not
// know.
const RULE_SET_KEEPS = ["Direction", "Bids", "preset", "players", "direction", "bids", "mult", "thresholds"];

function pruneRuleSet(text) {
  const start = text.indexOf("message RuleSet {");
  const body = text.slice(text.indexOf("{", start) + 1, text.lastIndexOf("}")).replace(/\/\/.*$/gm, "");
  const parts = body.match(/(?:enum|message)\s+\w+\s*\{[^}]*\}|reserved[^;]*;|[\w. ]+=\s*\d+;/g);
  const name = (part) => /^(?:enum|message)\s+(\w+)/.exec(part)?.[1] ?? /(\w+)\s*=/.exec(part)?.[1];
  const kept = parts.map((part) => part.trim()).filter((part) => RULE_SET_KEEPS.includes(name(part)));
  return `${text.slice(0, text.indexOf("{", start) + 1)}\n${kept.join("\n")}\n}\n`;
}

function generate() {
  const protoFolder = join(root, "proto");
  const stamp = digest(files(protoFolder).filter((path) => path.endsWith(".proto"))) +
    read(join(work, "packages.stamp")) + PROTOS.join() + RULE_SET_KEEPS.join();
  if (read(join(work, "gen.stamp")) === stamp) return;
  rmSync(join(work, "gen"), { recursive: true, force: true });
  mkdirSync(join(work, "gen"));
  // These are the protos of the services and all files that they import. Google's own files are
  // left out, because protobuf-es already has them.
  const all = new Set(PROTOS);
  for (const file of all) {
    for (const [, name] of readFileSync(join(protoFolder, file), "utf8").matchAll(/^import "(.*)";/gm)) {
      if (!name.startsWith("google/protobuf/")) all.add(name);
    }
  }
  const protos = join(work, "proto");
  for (const file of all) {
    const text = readFileSync(join(protoFolder, file), "utf8");
    mkdirSync(dirname(join(protos, file)), { recursive: true });
    writeFileSync(join(protos, file), file.endsWith("/rule_set.proto") ? pruneRuleSet(text) : text);
  }
  execFileSync("protoc", [
    `--plugin=protoc-gen-es=${join(work, "node_modules/.bin/protoc-gen-es")}`,
    `--es_out=${join(work, "gen")}`, "--es_opt=target=ts,import_extension=none",
    `-I${protos}`, ...all,
  ], { stdio: ["ignore", 2, 2] });
  writeFileSync(join(work, "gen.stamp"), stamp);
}

// Puts the sources beside the packages and the generated files, so that imports find both.
function link() {
  for (const name of ["src", "test"]) {
    if (!existsSync(join(work, name))) symlinkSync(join(here, name), join(work, name));
  }
  cpSync(join(here, "tsconfig.json"), join(work, "tsconfig.json"));
}

// protobuf-es contains a description of all of descriptor.proto. It needs only these fields to read
// the descriptors of our messages. A message of descriptor.proto that is not named here keeps no
// field.
const DESCRIPTOR_KEEPS = {
  FileDescriptorProto: ["name", "package", "dependency", "message_type", "enum_type", "service", "extension", "options", "syntax", "edition"],
  DescriptorProto: ["name", "field", "nested_type", "enum_type", "extension", "oneof_decl", "options"],
  FieldDescriptorProto: ["name", "number", "label", "type", "type_name", "oneof_index", "json_name", "options", "proto3_optional", "default_value", "extendee"],
  OneofDescriptorProto: ["name", "options"], EnumDescriptorProto: ["name", "value", "options"],
  EnumValueDescriptorProto: ["name", "number", "options"], ServiceDescriptorProto: ["name", "method", "options"],
  MethodDescriptorProto: ["name", "input_type", "output_type", "options", "client_streaming", "server_streaming"],
  FileOptions: ["features"], MessageOptions: ["map_entry", "features"], FieldOptions: ["packed", "features"],
  OneofOptions: ["features"], EnumOptions: ["features"], EnumValueOptions: ["features"], ServiceOptions: ["features"],
  MethodOptions: ["features"],
  FeatureSet: ["field_presence", "enum_type", "repeated_field_encoding", "utf8_validation", "message_encoding", "json_format"],
};

const smallDescriptor = {
  name: "small-descriptor",
  setup(build) {
    build.onLoad({ filter: /google\/protobuf\/descriptor_pb\.js$/ }, ({ path }) => {
      const text = read(path);
      const start = text.indexOf("boot(") + 5;
      const end = text.indexOf(");\n", start);
      const file = JSON.parse(text.slice(start, end));
      const enums = new Set();
      for (const message of file.messageType) {
        const keeps = DESCRIPTOR_KEEPS[message.name] ?? [];
        message.field = (message.field ?? []).filter((field) => keeps.includes(field.name));
        for (const { typeName } of message.field) enums.add(typeName);
        for (const inner of message.nestedType ?? []) { inner.field = []; inner.enumType = []; }
        delete message.extensionRange;
      }
      // An enum that no field uses keeps one value.
      for (const message of file.messageType) {
        for (const one of message.enumType ?? []) if (!enums.has(`.google.protobuf.${message.name}.${one.name}`)) one.value = one.value.slice(0, 1);
      }
      return { contents: text.slice(0, start) + JSON.stringify(file) + text.slice(end), loader: "js" };
    });
  },
};

// protobuf-es writes the descriptors of the messages in base64, which hides repeated names from
// gzip. This step writes the same bytes as plain text, which makes the page several KB smaller.
const plainDescriptors = {
  name: "plain-descriptors",
  setup(build) {
    build.onLoad({ filter: /_pb\.ts$/ }, ({ path }) => ({
      contents: read(path).replace(/fileDesc\("([\w+/=]+)"/g,
        (_, text) => `fileDesc(btoa(${JSON.stringify(Buffer.from(text, "base64").toString("latin1"))})`),
      loader: "ts",
    }));
  },
};

// Lets each screen and each file of words import the first screen. esbuild makes a file for each
// set of entries that share a module. With these imports, all modules of the first screen have the
// same set of entries. So these modules are in one file instead of a dozen, and one file compresses
// better.
const oneBase = {
  name: "one-base",
  setup(build) {
    build.onLoad({ filter: /\/src\/(screens\/\w+|screens\/table\/later|words\/(?:en|fr|reasons)\w*|pieces\/own_rating|state\/(ratings|sheet))\.tsx?$/ }, ({ path }) => (
      path.endsWith("/lobby.tsx") ? undefined
        : { contents: `${read(path)}\nimport "${join(work, "src/screens/lobby.tsx")}";\n`, loader: path.split(".").pop() }));
  },
};

// The titles of the HTML files. The build writes one HTML file for each kind of link. These files
// differ only in the title. A program that shows a link before a person opens it reads this title
// and runs no script. The gateway finds the file by the first segment of the path; for example, it
// serves t.html for "/t/ID". The page itself sets a title in the language of the person.
const TITLES = {
  index: "Tarot", t: "A table of Tarot – Une table de tarot", r: "Sit down at my Tarot table – Une place à ma table de tarot", p: "A Tarot player – Un joueur de tarot",
  ladder: "The ladder – Le classement – Tarot", learn: "Learn Tarot – Apprendre le tarot",
};

async function bundle() {
  const esbuild = createRequire(join(work, "package.json"))("esbuild");
  const fresh = `${out}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(join(fresh, "assets"), { recursive: true });

  const hashed = (name, extension, bytes) => {
    const path = `assets/${name}-${createHash("sha256").update(bytes).digest("hex").slice(0, 10)}.${extension}`;
    writeFileSync(join(fresh, path), bytes);
    return `/${path}`;
  };
  const cards = hashed("cards", "svg", execFileSync(process.execPath, [join(here, "deck/cards.mjs")]));

  const result = await esbuild.build({
    absWorkingDir: work,
    preserveSymlinks: true,
    entryPoints: { page: "src/main.tsx", style: "src/styles/page.css" },
    outdir: join(fresh, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    format: "esm",
    splitting: true,
    minify: true,
    target: ["es2022", "chrome109", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [plainDescriptors, smallDescriptor, oneBase],
    define: { CARDS_URL: JSON.stringify(cards) },
    metafile: true,
    logLevel: "warning",
  });
  const entry = (source) => {
    const found = Object.entries(result.metafile.outputs).find(([, o]) => o.entryPoint === source);
    return `/assets/${found[0].split("/").pop()}`;
  };
  // Collects the files that the first screen imports. The HTML names these files, so that the
  // browser asks for them at once.
  const needed = new Set();
  const need = (name) => {
    for (const one of result.metafile.outputs[name].imports) {
      if (one.kind === "import-statement" && !needed.has(one.path)) { needed.add(one.path); need(one.path); }
    }
  };
  need(Object.keys(result.metafile.outputs).find((name) => result.metafile.outputs[name].entryPoint === "src/main.tsx"));
  const preloads = [...needed].map((name) => `<link rel="modulepreload" href="/assets/${name.split("/").pop()}">`).join("\n");
  for (const [name, bytes] of Object.entries(icons())) writeFileSync(join(fresh, name), bytes);
  const html = read(join(here, "static/index.html"))
    .replace("{{preloads}}", preloads)
    .replace("{{style}}", entry("src/styles/page.css"))
    .replace("{{script}}", entry("src/main.tsx"))
    .replace("{{cards}}", cards);
  for (const [name, title] of Object.entries(TITLES)) writeFileSync(join(fresh, `${name}.html`), html.replaceAll("{{title}}", title));
  for (const name of readdirSync(join(here, "static"))) {
    if (name !== "index.html" && name !== "worker.js") cpSync(join(here, "static", name), join(fresh, name));
  }
  // The worker knows the names of the files that the page needs without a network.
  const names = files(join(fresh, "assets")).map((path) => path.slice(fresh.length));
  const worker = read(join(here, "static/worker.js"))
    .replace("[/* FILES */]", JSON.stringify(["/", ...names]))
    .replace("{{version}}", digest(files(fresh)).slice(0, 10));
  writeFileSync(join(fresh, "worker.js"), worker);
  writeFileSync(join(work, "meta.json"), JSON.stringify(result.metafile));
  const plain = files(fresh);
  for (const path of plain) {
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params: quality }));
  }
  // Zopfli makes gzip files that are a few percent smaller than zlib's.
  execFileSync("zopfli", plain, { stdio: ["ignore", 2, 2] });
  rmSync(`${out}.old`, { recursive: true, force: true });
  if (existsSync(out)) renameSync(out, `${out}.old`);
  renameSync(fresh, out);
  rmSync(`${out}.old`, { recursive: true, force: true });
}

// Bundles the tests in the same way as the page: unit tests, and programs that drive a browser. All
// of them run in node.
async function bundleTests() {
  const esbuild = createRequire(join(work, "package.json"))("esbuild");
  for (const kind of ["unit", "browser"]) {
    rmSync(join(work, kind), { recursive: true, force: true });
    await esbuild.build({
      absWorkingDir: work,
      preserveSymlinks: true,
      entryPoints: readdirSync(join(here, "test", kind)).map((name) => `test/${kind}/${name}`),
      outdir: join(work, kind),
      outExtension: { ".js": ".mjs" },
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["playwright-core", "axe-core"],
      jsx: "automatic",
      jsxImportSource: "preact",
      define: { CARDS_URL: '"/cards.svg"' },
      logLevel: "warning",
    });
  }
}

async function build() {
  const inputs = [
    ...["src", "test", "static", "deck"].flatMap((name) => files(join(here, name))),
    ...["build.mjs", "package.json", "package-lock.json", "tsconfig.json"].map((name) => join(here, name)),
    ...files(join(root, "proto")).filter((path) => path.endsWith(".proto")),
  ];
  const stamp = digest(inputs);
  if (read(join(work, "page.stamp")) === stamp && existsSync(join(out, "index.html"))) return false;
  install();
  generate();
  link();
  await bundle();
  await bundleTests();
  writeFileSync(join(work, "page.stamp"), stamp);
  return true;
}

if (await build()) console.error(`The page is built: ${out}`);

// For development: serves the page, passes its calls on to the door of a platform, and reloads the
// browser after each build.
function serve(port, door) {
  const readers = new Set();
  const types = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", html: "text/html", webmanifest: "application/manifest+json" };
  createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (request.method === "POST") {
      const onward = httpRequest(new URL(request.url, door), { method: "POST", headers: { ...request.headers, host: new URL(door).host, origin: door } }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.writeHead(503).end());
      response.on("close", () => onward.destroy());
      request.pipe(onward);
    } else if (pathname === "/reload") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      readers.add(response);
      response.on("close", () => readers.delete(response));
    } else if (pathname === "/reload.js") {
      response.writeHead(200, { "content-type": types.js }).end('new EventSource("/reload").onmessage = () => location.reload();');
    } else {
      const found = join(out, pathname);
      const file = found.startsWith(out) && existsSync(found) && statSync(found).isFile() ? found : join(out, "index.html");
      let bytes = readFileSync(file);
      if (file.endsWith("index.html")) bytes = String(bytes).replace("</head>", '<script src="/reload.js"></script></head>');
      response.writeHead(200, { "content-type": types[file.split(".").pop()] ?? "application/octet-stream", "cache-control": "no-store" }).end(bytes);
    }
  }).listen(port, "127.0.0.1");
  return () => { for (const reader of readers) reader.write("data: built\n\n"); };
}

if (argument("--serve")) {
  const reload = serve(Number(argument("--serve")), argument("--door"));
  let waiting;
  const rebuild = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      build().then((changed) => { if (changed) reload(); }, (error) => console.error(String(error)));
    }, 80);
  };
  const folders = ["src", "static", "deck"].flatMap((name) => [name, ...readdirSync(join(here, name), { withFileTypes: true, recursive: false })
    .filter((entry) => entry.isDirectory()).map((entry) => join(name, entry.name))]);
  for (const folder of [...folders, "src/screens/table"]) watch(join(here, folder), rebuild);
  console.error(`The page reloads after each change: http://127.0.0.1:${argument("--serve")}/`);
}
