// Checks what deploy/ gives to Kubernetes, docker-compose and systemd.
//
// Usage: node manifests.mjs --bin=FOLDER TREE... FOLDER has our programs, a TREE is the root of a
// clone. Exit status 1 if there is a finding.
//
// Each kustomization of deploy/kubernetes/overlays is rendered by kubectl and compiled as literals
// of the types of the Kubernetes API (kubernetes-models), so an unknown field and a wrong type are
// errors. policy.mjs has the rules that the types do not have. Every flag must be one of the
// program's --help.
import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import ts from 'typescript';
import {parse, parseAllDocuments} from 'yaml';

import {operatorFindings, policyFindings} from './policy.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const bin = process.argv[2].replace('--bin=', '');
const trees = process.argv.slice(3);
const count = {
  objects: 0,
  flags: 0
};

const flagsOf = new Map();
// Returns the names of the flags that a program of ours lists in its --help.
function realFlags(program) {
  if (!flagsOf.has(program)) {
    let help = '';
    try {
      help = execFileSync(join(bin, program), ['--help'], {encoding: 'utf8'});
    } catch (error) {
      help = error.stdout ?? '';  // Abseil's --help ends with the exit code 1.
    }
    flagsOf.set(
        program, new Set([...help.matchAll(/^ +(?:tarot-\S+ )?--(\w+) /gm)].map((m) => m[1])));
    if (flagsOf.get(program).size === 0) throw new Error(`${program} --help lists no flag`);
  }
  return flagsOf.get(program);
}

function* flagFindings(where, program, args) {
  if (!program.startsWith('tarot-') || program === 'tarot-door') return;
  for (const arg of args) {
    const flag = /^--(\w+)(=|$)/.exec(arg)?.[1];
    ++count.flags;
    if (!flag)
      yield `${where}: '${arg}' is no flag`;
    else if (!realFlags(program).has(flag))
      yield `${where}: ${program} has no flag --${flag}`;
  }
}

// Each variable TAROT_NAME must be a flag of the program.
function* variableFindings(where, program, names) {
  if (!program.startsWith('tarot-') || program === 'tarot-door') return;
  for (const name of names) {
    const [, flag] = /^TAROT_(\w+)$/.exec(name) ?? [];
    if (flag && !realFlags(program).has(flag.toLowerCase()))
      yield `${where}: ${program} has no flag for ${name}`;
  }
}

// Checks a command that asks a service for its health.
function* commandFindings(where, program, command) {
  if (!command) return;
  if (command[0] !== `/${program}`) yield `${where}: its image has no ${command[0]}`;
  yield* flagFindings(where, program, [command[1]]);
}

// Returns the objects of one kustomization.
function render(folder) {
  const text = execFileSync('kubectl', ['kustomize', folder], {encoding: 'utf8', stdio: 'pipe'});
  return parseAllDocuments(text).map((document) => document.toJS());
}

// Returns the findings of the compiler. `sets` has the objects of all kustomizations.
function typeFindings(sets) {
  let text = '';
  const owners = [];  // Maps each line to the object to which the line belongs.
  for (const {where, objects} of sets) {
    for (const object of objects) {
      const type =
          `import('kubernetes-models/${object.apiVersion}/${object.kind}').I${object.kind}`;
      const code =
          `export const x${owners.length}: ${type} = ${JSON.stringify(object, null, 1)};\n`;
      for (const _ of code.trimEnd().split('\n')) {
        owners.push(`${where}: ${object.kind} ${object.metadata?.name}`);
      }
      text += code;
    }
  }
  const file = join(here, `objects-${process.pid}.ts`);
  writeFileSync(file, text);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const found = ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
    if (!diagnostic.file || diagnostic.file.fileName !== file) return `the compiler: ${message}`;
    const {line} = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start);
    return `${owners[line]}: ${text.split('\n')[line].trim()} ${message}`;
  });
  ts.sys.deleteFile(file);
  return found;
}

// Returns the services of compose.yml, and these services together with those of cells.yml. Follows
// docker-compose's rules for the few fields that cells.yml has.
function* composeFiles(tree) {
  const read = (name) =>
      parse(readFileSync(join(tree, 'deploy/compose', name), 'utf8'), {merge: true}).services;
  const base = read('compose.yml');
  yield {file: 'compose', services: base};
  const services = {...base};
  for (const [name, {extends: from, ...changes}] of Object.entries(read('cells.yml'))) {
    const before = from ? base[from.service] : base[name];
    const environment = {...before?.environment, ...changes.environment};
    // A volume of the same path replaces the one before.
    const path = (volume) => volume.replace(/\$\{[^}]*\}/g, '').split(':')[1];
    const volumes = [
      ...(before?.volumes ?? []).filter(
          (v) => !changes.volumes?.some((other) => path(other) === path(v))),
      ...changes.volumes ?? []
    ];
    services[name] = {...before, ...changes, environment, volumes};
  }
  yield {file: 'compose with cells', services};
}

function* composeFindings(tree, {file, services}) {
  for (const [name, service] of Object.entries(services)) {
    const where = `${tree}: ${file}: ${name}`;
    const program = service.entrypoint?.[0].slice(1) ?? /(tarot-\w+):/.exec(service.image)[1];
    yield* flagFindings(where, program, service.command ?? []);
    yield* operatorFindings(where, program, service.command ?? []);
    yield* variableFindings(where, program, Object.keys(service.environment ?? {}));
    // The replicas of rules of cell 1, rules_1, have the identity of rules.
    const own = name in {apply_queues: 1, start_season: 1} ? 'operator' : name.replace(/_\d+$/, '');
    for (const volume of service.volumes ?? []) {
      const folder = /secrets\}\/?(.*?):/.exec(volume)?.[1];
      if (folder !== undefined && folder !== own && folder !== 'public')
        yield `${where}: it must not read the secrets of another service: ${volume}`;
    }
    const migrates = service.command?.includes('--migrate_only');
    if (!migrates && service.volumes?.some((v) => v.includes(':/run/owner')))
      yield `${where}: it must not read the password of the schemas' owner`;
    if (program === 'tarot-probe' && service.volumes) yield `${where}: the probe needs no file`;
    yield* commandFindings(where, program, service.healthcheck?.test.slice(1));
    for (const [field, value] of [
             ['read_only', true], ['user', '65532:65532'], ['cap_drop', ['ALL']],
             ['security_opt', ['no-new-privileges:true']]]) {
      if (JSON.stringify(service[field]) !== JSON.stringify(value))
        yield `${where}: ${field} is not ${value}`;
    }
    for (const field of ['mem_limit', 'pids_limit'])
      if (!service[field]) yield `${where}: no ${field}`;
  }
}

function* unitFindings(tree) {
  const folder = join(tree, 'deploy/systemd');
  for (const unit of existsSync(folder) ? readdirSync(folder) : []) {
    const text = readFileSync(join(folder, unit), 'utf8');
    const command = /^ExecStart=\S*\/(tarot-[\w-]+)((?:.*\\\n)*.*)$/m.exec(text);
    if (!command) continue;
    const names = [...text.matchAll(/^Environment="?(\w+)=/gm)].map((m) => m[1]);
    yield* variableFindings(`${tree}: ${unit}`, command[1], names);
    const args = command[2].replaceAll('\\\n', ' ').match(/"[^"]*"|\S+/g) ?? [];
    yield*
        flagFindings(`${tree}: ${unit}`, command[1], args.map((arg) => arg.replace(/^"|"$/g, '')));
  }
}

const sets = [], found = [];
for (const tree of trees) {
  const overlays = join(tree, 'deploy/kubernetes/overlays');
  for (const overlay of readdirSync(overlays)) {
    const parts = {};
    for (const part of ['.', 'migrations', 'settings']) {
      const where = `${tree}: ${join(overlay, part)}`;
      try {
        parts[part] = render(join(overlays, overlay, part));
      } catch (error) {
        found.push(`${where}: kubectl cannot render it: ${error.stderr ?? error.message}`);
        continue;
      }
      count.objects += parts[part].length;
      sets.push({where, objects: parts[part]});
    }
    if (Object.keys(parts).length < 3) continue;
    found.push(...policyFindings(
        `${tree}: ${overlay}`, tree, parts,
        {flagFindings, variableFindings, commandFindings, realFlags}));
  }
  for (const file of composeFiles(tree)) found.push(...composeFindings(tree, file));
  found.push(...unitFindings(tree));
}
found.push(...typeFindings(sets));
for (const finding of found) console.log(finding);
console.log(`${trees.length} trees, ${count.objects} objects, ${count.flags} flags, ${
    found.length} findings`);
process.exit(found.length > 0 || count.objects === 0 ? 1 : 0);
