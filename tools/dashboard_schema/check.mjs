// Checks dashboards: against the types of Grafana (@grafana/schema) as JSON Schema, and each query
// against the grammar of PromQL. Usage: node check.mjs FILE... Exit status 1 if there is a finding.
//
// tools/check-dashboard-schema installs the packages and runs this file.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import Ajv from 'ajv';
import {parser} from '@prometheus-io/lezer-promql';
import {createGenerator} from 'ts-json-schema-generator';

const raw = join(dirname(createRequire(import.meta.url).resolve('@grafana/schema')),
                 '../types/raw');

// Returns the JSON Schema of one type. An empty or truncated schema would accept everything, so the
// schema must have at least `leastDefinitions` definitions and `leastBytes` bytes.
function schemaOf(path, type, leastDefinitions, leastBytes) {
  const schema = createGenerator({path: join(raw, path), type, skipTypeCheck: true})
                     .createSchema(type);
  const definitions = Object.keys(schema.definitions).length;
  const bytes = JSON.stringify(schema).length;
  if (definitions < leastDefinitions || bytes < leastBytes) {
    throw new Error(`the schema of ${path} has only ${definitions} definitions, ${bytes} bytes`);
  }
  return schema;
}

const dashboardSchema = schemaOf('dashboard/x/types.gen.d.ts', 'Dashboard', 45, 40000);
// These fields belong to the Prometheus data source, so the type of an annotation does not have them.
for (const field of ['expr', 'step', 'titleFormat', 'textFormat']) {
  dashboardSchema.definitions.AnnotationQuery.properties[field] = {type: 'string'};
}

// A query of a panel belongs to the data source too. The package has no type for such a query.
const targetSchema = {
  type: 'object',
  required: ['refId', 'expr'],
  additionalProperties: false,
  properties: {
    refId: {type: 'string', pattern: '^[A-Z]$'},
    expr: {type: 'string', minLength: 1},
    legendFormat: {type: 'string'},
    instant: {type: 'boolean'},
    range: {type: 'boolean'},
    format: {enum: ['time_series', 'table']},
  },
};

const ajv = new Ajv({allErrors: true, strict: false});
const panelOptions = (kind, type, leastBytes) => ajv.compile(
    schemaOf(`composable/${kind}/panelcfg/x/types.gen.d.ts`, type, 1, leastBytes));
const isDashboard = ajv.compile(dashboardSchema);
const isTarget = ajv.compile(targetSchema);
const isOptions = {
  stat: panelOptions('stat', 'Options', 2000),
  timeseries: panelOptions('timeseries', 'Options', 3000),
  table: panelOptions('table', 'Options', 1500),
};
const isCustom = {timeseries: panelOptions('timeseries', 'FieldConfig', 3500)};

// Grafana replaces its variables before Prometheus sees a query.
const VARIABLES = [[/\$__rate_interval/g, '1m'], [/\$__interval/g, '15s'], [/\$\w+/g, 'x']];

function queryProblem(query) {
  let text = query;
  for (const [pattern, value] of VARIABLES) text = text.replace(pattern, value);
  let problem = null;
  parser.parse(text).iterate({enter: (node) => {
    if (node.type.isError) problem ??= `is no PromQL at "${text.slice(node.from, node.from + 30)}"`;
  }});
  return problem;
}

function* findings(dashboard) {
  const invalid = (validate, value, where) => validate(value) ? [] :
      validate.errors.map((e) => `${where}${e.instancePath}: ${e.message} ${JSON.stringify(e.params)}`);
  yield* invalid(isDashboard, dashboard, '');
  for (const panel of dashboard.panels ?? []) {
    if (!(panel.type in isOptions)) {
      yield `${panel.title}: panels of type ${panel.type} cannot be checked`;
      continue;
    }
    yield* invalid(isOptions[panel.type], panel.options, `${panel.title}: options`);
    const custom = panel.fieldConfig?.defaults?.custom;
    if (custom) yield* invalid(isCustom[panel.type], custom, `${panel.title}: custom`);
    for (const target of panel.targets ?? []) {
      yield* invalid(isTarget, target, `${panel.title}: target`);
      const problem = queryProblem(target.expr ?? '');
      if (problem) yield `${panel.title}: ${target.expr}: ${problem}`;
    }
  }
  for (const annotation of dashboard.annotations?.list ?? []) {
    const problem = queryProblem(annotation.expr ?? '');
    if (problem) yield `annotation ${annotation.name}: ${problem}`;
  }
}

const files = process.argv.slice(2);
let count = 0, queries = 0;
for (const file of files) {
  const dashboard = JSON.parse(readFileSync(file, 'utf8'));
  for (const panel of dashboard.panels ?? []) queries += panel.targets?.length ?? 0;
  for (const finding of findings(dashboard)) {
    console.log(`${file}: ${finding}`);
    ++count;
  }
}
console.log(`${files.length} dashboards, ${queries} queries, ${count} problems`);
process.exit(count > 0 || files.length === 0 ? 1 : 0);
