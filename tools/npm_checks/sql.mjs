// Parses every SQL statement of the services with Postgres's own parser (libpg-query), and looks
// for what a distributed or pooled database does not have: NOTIFY and LISTEN, system columns, and
// locks that belong to a session. Only the files of MAY_LOCK and the migrations may hold such a
// lock.
//
// Usage: node sql.mjs ROOT. Exit status 1 if there is a finding.
import pgQuery from 'libpg-query';
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join, relative} from 'node:path';

const {parse} = pgQuery;
const root = process.argv[2];
const SYSTEM_COLUMNS = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);
const MAY_LOCK = new Set([
  'libs/pg/migrate.cc',
  // This file locks the session so that only one recomputation of all ratings runs at a time. It
  // holds no transaction open during the recomputation.
  'services/ratings/storage/pg_recomputation.cc',
]);
const SESSION_LOCK = /^pg_(try_)?advisory_(lock|unlock)/;
const STATEMENTS = {
  NotifyStmt: 'NOTIFY',
  ListenStmt: 'LISTEN',
  UnlistenStmt: 'UNLISTEN'
};
const BEGINS_SQL =
    /^\s*(--.*\n\s*)*(SELECT|INSERT|UPDATE|DELETE|WITH|SET|SHOW|BEGIN|START|COMMIT|CREATE|ALTER|DROP|TRUNCATE|LOCK|NOTIFY|LISTEN|COPY|VALUES|DISCARD|DO)\s/;

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['testing', 'testdata', 'node_modules', 'web'].includes(entry.name))
        yield* filesBelow(path);
    } else {
      yield path;
    }
  }
}

// Returns the source after the preprocessor, because some statements are macros. Leaves out the
// included files, so that the preprocessor is fast.
function preprocess(text) {
  const input = text.replace(/^#include.*$/gm, '');
  return execFileSync(
      'g++', ['-E', '-P', '-std=c++20', '-x', 'c++', '-'],
      {input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore']});
}

// Returns the tokens of a C++ source. Adjacent string literals are one token with the field `sql`.
function tokensOf(text) {
  const tokens = [];
  const pattern =
      /\/\/.*|\/\*[^]*?\*\/|R"(\w*)\(([^]*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)'|[\w:]+|\S/g;
  for (const match of text.matchAll(pattern)) {
    const token = match[0];
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    const sql = match[2] ?? match[3]?.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
    const last = tokens.at(-1);
    if (sql !== undefined && last?.sql !== undefined) {
      last.sql += sql;
    } else {
      tokens.push({text: token, sql});
    }
  }
  return tokens;
}

// Returns the statements in a C++ source. absl::StrCat puts names and numbers between literals;
// each of them becomes the name x1.
function statementsOf(text) {
  const found = [], tokens = tokensOf(text);
  for (let i = 0; i < tokens.length; ++i) {
    if (tokens[i].sql === undefined || !BEGINS_SQL.test(tokens[i].sql)) continue;
    let {sql} = tokens[i];
    if (tokens[i - 1]?.text === '(' && tokens[i - 2]?.text.endsWith('StrCat')) {
      for (let depth = 1, between = false; depth > 0; ++i) {
        const next = tokens[i + 1];
        depth += next.text === '(' ? 1 : next.text === ')' ? -1 : 0;
        if (next.sql !== undefined && depth === 1)
          sql += next.sql;
        else if (next.text === ',' && depth === 1)
          between = false;
        else if (!between && depth > 0)
          sql += 'x1', between = true;
      }
    }
    if (tokens[i + 1]?.text === '+') sql += 'x1';
    // The text after the last ";" has options of the session. It is left out.
    found.push(sql.replace(/;\s*x1$/, ''));
  }
  return found;
}

function* nodesOf(tree) {
  if (tree === null || typeof tree !== 'object') return;
  for (const [key, value] of Object.entries(tree)) {
    yield [key, value];
    yield* nodesOf(value);
  }
}

const lastName = (list) => list?.at(-1)?.String?.sval ?? '';

function* problemsOf(tree, mayLock) {
  for (const [kind, node] of nodesOf(tree)) {
    if (kind in STATEMENTS) yield `uses ${STATEMENTS[kind]}`;
    if (kind === 'ColumnRef' && SYSTEM_COLUMNS.has(lastName(node.fields))) {
      yield `reads the system column ${lastName(node.fields)}`;
    }
    if (kind !== 'FuncCall') continue;
    const name = lastName(node.funcname);
    if (name === 'pg_notify') yield 'uses NOTIFY';
    if (SESSION_LOCK.test(name) && !mayLock) yield `takes a lock of the session (${name})`;
  }
}

// The body of a function is a text for the parser. Returns the texts of the statements in it.
function bodiesOf(tree) {
  const bodies = [];
  for (const [kind, node] of nodesOf(tree)) {
    if (kind === 'CreateFunctionStmt' || kind === 'DoStmt') {
      const options = (node.options ?? node.args).map((option) => option.DefElem);
      const language = options.find((o) => o.defname === 'language')?.arg.String.sval ?? 'plpgsql';
      const body = options.find((o) => o.defname === 'as')?.arg;
      const text = body?.List?.items[0].String.sval ?? body?.String?.sval ?? '';
      bodies.push({language, text});
    }
  }
  return bodies;
}

const count = {
  files: 0,
  statements: 0,
  findings: 0
};
async function check(where, sql, mayLock) {
  const report = (problem) => {
    console.log(`${where}: ${problem} in '${sql.trim().replace(/\s+/g, ' ').slice(0, 60)}'`);
    ++count.findings;
  };
  let tree;
  try {
    tree = await parse(sql);
  } catch (error) {
    report(`the parser finds: ${error.message},`);
    return;
  }
  count.statements += tree.stmts.length;
  for (const problem of problemsOf(tree, mayLock)) report(problem);
  for (const {language, text} of bodiesOf(tree)) {
    if (language === 'sql') {
      await check(where, text, mayLock);
      continue;
    }
    // This check has no parser of PL/pgSQL, so it searches for words.
    const word = /\b(pg_notify|notify|listen|ctid|[xc]min|[xc]max|tableoid)\b/i.exec(text);
    if (word) report(`a function uses ${word[0]}`);
  }
}

for (const folder of ['services', 'libs', 'deploy/postgres']) {
  for (const path of filesBelow(join(root, folder))) {
    const name = relative(root, path), text = readFileSync(path, 'utf8');
    const migration = name.includes('/migrations/') && name.endsWith('.sql');
    if (migration) {
      ++count.files;
      await check(name, text, true);
    } else if (/\.(cc|h)$/.test(name) && !/_test\.cc$/.test(name)) {
      if (!/"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|SET|CREATE|DROP|LOCK|NOTIFY|LISTEN) |R"sql\(/
               .test(text))
        continue;
      const statements = statementsOf(preprocess(text));
      if (statements.length > 0) ++count.files;
      for (const sql of statements) await check(name, sql, MAY_LOCK.has(name));
      const raw = text.split(/= R"sql\(|", R"sql\(/).length - 1;
      if (raw > statements.length) {
        console.log(`${name}: only ${statements.length} of ${raw} statements were found`);
        ++count.findings;
      }
    }
  }
}
console.log(`${count.files} files, ${count.statements} statements, ${count.findings} findings`);
process.exit(count.findings > 0 || count.statements === 0 ? 1 : 0);
