// The rules of the manifests that the types of the Kubernetes API do not have.
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

const NAME = 'app.kubernetes.io/name';
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const WORKLOADS = ['Deployment', 'StatefulSet', 'Job'];
// These workloads have one replica each; their manifests say why.
const SINGLE = ['admin', 'probe'];

const templateOf = (object) => object.spec.template;
const nameOf = (workload) => templateOf(workload).metadata?.labels?.[NAME];
const portsOf = (workload) => templateOf(workload).spec.containers.flatMap((c) => c.ports ?? []);

// Checks what the Pod Security Standard "restricted" requires, and some further restrictions.
function* podFindings(where, spec) {
  const security = spec.securityContext ?? {};
  if (security.runAsNonRoot !== true) yield `${where}: runAsNonRoot is missing`;
  if (security.runAsUser !== 65532) yield `${where}: runAsUser is not 65532`;
  if (security.seccompProfile?.type !== 'RuntimeDefault') yield `${where}: no seccompProfile`;
  if (spec.automountServiceAccountToken !== false)
    yield `${where}: the token of the API is mounted`;
  if (spec.enableServiceLinks !== false) yield `${where}: enableServiceLinks is not false`;
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) {
    if (spec[field]) yield `${where}: ${field}`;
  }
  for (const volume of spec.volumes ?? []) {
    if (!volume.secret && !volume.emptyDir && !volume.persistentVolumeClaim)
      yield `${where}: volume ${volume.name} is neither a secret, nor empty, nor a claim`;
  }
}

function* containerFindings(where, spec, container, isJob) {
  const {resources, securityContext: security = {}} = container;
  if (!resources?.requests?.cpu || !resources?.requests?.memory)
    yield `${where}: a request is missing`;
  // No limit of CPU time is required, because such a limit would only delay moves.
  if (!resources?.limits?.memory) yield `${where}: the limit of memory is missing`;
  if (security.allowPrivilegeEscalation !== false)
    yield `${where}: allowPrivilegeEscalation is not false`;
  if (security.readOnlyRootFilesystem !== true) yield `${where}: readOnlyRootFilesystem is missing`;
  if (security.privileged) yield `${where}: privileged`;
  if (JSON.stringify(security.capabilities) !== '{"drop":["ALL"]}')
    yield `${where}: capabilities are not dropped`;
  if (!/:[^:/]+$/.test(container.image) || container.image.endsWith(':latest'))
    yield `${where}: no tag of the image`;
  for (const probe of isJob ? [] : PROBES) {
    if (!container[probe]) yield `${where}: ${probe} is missing`;
  }
  for (const mount of container.volumeMounts ?? []) {
    if (!spec.volumes?.some((v) => v.name === mount.name))
      yield `${where}: there is no volume ${mount.name}`;
  }
  const names = new Set((container.ports ?? []).map((p) => p.name));
  for (const probe of PROBES) {
    const {httpGet, grpc} = container[probe] ?? {};
    if (httpGet && !names.has(httpGet.port)) yield `${where}: ${probe} asks an unknown port`;
    if (grpc && !container.ports.some((p) => p.containerPort === grpc.port))
      yield `${where}: ${probe} asks an unknown port`;
  }
}

// Only processes of the same host or pod may reach the operators' door.
export function* operatorFindings(where, program, args) {
  if (program !== 'tarot-admin' || args.includes('--migrate_only')) return;
  if (!args.some((arg) => /^--listen_address=127\.0\.0\.1:/.test(arg)))
    yield `${where}: the operators' door does not listen on loopback`;
}

// Returns true if the container runs the image `name`.
function isOf(container, name) {
  return container.image.replace(/.*\//, '').replace(/:.*/, '') === name;
}

// Yields the secrets that a container of `spec` may read.
function* secretsOf(spec, container) {
  for (const {valueFrom} of container.env ?? [])
    if (valueFrom?.secretKeyRef) yield valueFrom.secretKeyRef;
  for (const {secret} of spec.volumes ?? [])
    for (const {key} of secret?.items ?? []) yield {name: secret.secretName, key};
}

// Returns the options of a container, flags and variables, as pairs of a name and a value.
function optionsOf({args = [], env = []}) {
  const flags = args.map((arg) => /^--(\w+)=(.*)$/.exec(arg)?.slice(1)).filter(Boolean);
  const variables = env.map(({name, value}) => [name.replace('TAROT_', '').toLowerCase(), value]);
  return [...flags, ...variables];
}

// Yields the addresses of services that the options of a container name. The list of cells has the
// form 0=NAME:PORT;1=NAME:PORT. The `cell` of any other address is undefined.
function* addressesOf(container) {
  for (const [option, value] of optionsOf(container)) {
    if (!/(_address|^cells)$/.test(option)) continue;
    for (const part of (value ?? '').split(';')) {
      const [, cell, name, port] = /^(?:(\d+)!?=)?([a-z][\w-]*):(\d+)$/.exec(part) ?? [];
      if (name) yield {option, cell, name, port: Number(port)};
    }
  }
}

// Each address must be a Service and its port.
function* addressFindings(where, container, services) {
  for (const {option, name, port} of addressesOf(container)) {
    const service = services.find((s) => s.metadata.name === name);
    if (!service?.spec.ports.some((p) => p.port === port))
      yield `${where}: ${option}: there is no Service ${name} with the port ${port}`;
  }
}

// Returns the key of the DSN in its secret.
const databaseOf = (container) =>
    container.env?.find((e) => e.name === 'TAROT_DSN')?.valueFrom?.secretKeyRef?.key;
const labelled = (selector, workload) => Object.entries(selector ?? {}).every(
    ([key, value]) => templateOf(workload).metadata?.labels?.[key] === value);
const optionOf = (workload, name) =>
    Object.fromEntries(optionsOf(templateOf(workload).spec.containers[0]))[name];

// All lists of cells must be equal, and each cell must be a StatefulSet of its own, with a database
// and an archive of its own.
function* cellFindings(where, workloads, services) {
  const rules = workloads.filter((w) => w.kind === 'StatefulSet' && nameOf(w) === 'rules');
  const cells = new Map(rules.map((w) => [optionOf(w, 'cell') ?? '0', w]));
  if (cells.size < rules.length) yield `${where}: two StatefulSets of rules have the same cell`;
  const different = (what, of) => new Set(rules.map(of)).size < rules.length ?
      [`${where}: two cells have the same ${what}`] :
      [];
  yield* different('database', (w) => databaseOf(templateOf(w).spec.containers[0]));
  yield* different(
      'archive', (w) => templateOf(w).spec.volumes.find((v) => v.name === 'archive')
                            ?.persistentVolumeClaim.claimName);
  const wanted = [...cells.keys()].sort().join();
  for (const workload of workloads.filter((w) => w.kind !== 'Job')) {
    const at = `${where}: ${workload.metadata.name}`;
    const list = [...addressesOf(templateOf(workload).spec.containers[0])].filter(
        ({option}) => option === 'cells' || option === 'rules_address');
    const named = list.map(({cell}) => cell ?? '0').sort().join();
    if (list.length > 0 && named !== wanted)
      yield `${at}: its list of cells is ${named}, and not ${wanted}`;
    if (list.length === 0 && rules.length > 1 && rules.includes(workload))
      yield `${at}: it has no list of cells`;
    for (const {cell = '0', name} of list) {
      const service = services.find((s) => s.metadata.name === name);
      if (service && cells.has(cell) && !labelled(service.spec.selector, cells.get(cell)))
        yield `${at}: ${name} is not cell ${cell}`;
    }
  }
}

function* availabilityFindings(where, workload, objects) {
  const {name} = workload.metadata;
  const template = templateOf(workload);
  const labels = workload.spec.selector.matchLabels;
  const selects = (selector) =>
      Object.entries(selector?.matchLabels ?? {})
          .every(([key, value]) => template.metadata.labels[key] === value);
  if (!selects(workload.spec.selector) || !labels)
    yield `${where}: the selector does not match the pods`;
  if (!(template.spec.terminationGracePeriodSeconds >= 30))
    yield `${where}: fewer than 30 s to end`;
  const budget = objects.some(
      (o) => o.kind === 'PodDisruptionBudget' && selects(o.spec.selector) &&
          o.spec.selector.matchLabels);
  const scaler = objects.find(
      (o) => o.kind === 'HorizontalPodAutoscaler' && o.spec.scaleTargetRef.name === name);
  if (SINGLE.includes(name)) {
    if (workload.spec.replicas !== 1 || scaler) yield `${where}: not one replica`;
    if (budget) yield `${where}: a budget of one replica blocks drains, or does nothing`;
    return;
  }
  if (!budget) yield `${where}: there is no PodDisruptionBudget`;
  if (scaler && scaler.spec.scaleTargetRef.kind !== workload.kind)
    yield `${where}: the autoscaler names another kind`;
  if (scaler && workload.spec.replicas !== undefined)
    yield `${where}: both replicas and an autoscaler`;
  if (!scaler && !(workload.spec.replicas >= 2)) yield `${where}: fewer than two replicas`;
  if (scaler && !(scaler.spec.minReplicas >= 2)) yield `${where}: fewer than two replicas`;
  const keys = (template.spec.topologySpreadConstraints ?? []).map((c) => c.topologyKey);
  for (const key of ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']) {
    if (!keys.includes(key)) yield `${where}: no spread over ${key}`;
  }
  if (workload.kind === 'StatefulSet' &&
      !objects.some((o) => o.kind === 'Service' && o.metadata.name === workload.spec.serviceName)) {
    yield `${where}: there is no Service ${workload.spec.serviceName}`;
  }
}

function* networkFindings(where, objects, workloads) {
  const policies = objects.filter((o) => o.kind === 'NetworkPolicy');
  const denies = (type) => policies.some(
      (p) => JSON.stringify(p.spec.podSelector) === '{}' && p.spec.policyTypes.includes(type) &&
          !p.spec.ingress && !p.spec.egress);
  if (!denies('Ingress') || !denies('Egress'))
    yield `${where}: no NetworkPolicy forbids everything else`;
  const known = new Set(workloads.map(nameOf));
  for (const policy of policies) {
    const selectors = [
      policy.spec.podSelector,
      ...[...policy.spec.ingress ?? [], ...policy.spec.egress ?? []].flatMap(
          (rule) => [...rule.from ?? [], ...rule.to ?? []]
                        .map((end) => end.podSelector)
                        .filter(Boolean))
    ];
    const names = selectors.flatMap(
        (s) =>
            [...s.matchLabels?.[NAME] ? [s.matchLabels[NAME]] : [],
             ...(s.matchExpressions ?? []).flatMap((e) => e.values)]);
    for (const name of names)
      if (!known.has(name))
        yield `${where}: NetworkPolicy ${policy.metadata.name}: there are no pods ${name}`;
    const target = policy.spec.podSelector.matchLabels?.[NAME];
    for (const port of (policy.spec.ingress ?? []).flatMap((rule) => rule.ports ?? [])) {
      const pods = target ? workloads.filter((w) => nameOf(w) === target) : workloads;
      if (!pods.some(
              (w) =>
                  portsOf(w).some((p) => p.name === port.port || p.containerPort === port.port))) {
        yield `${where}: NetworkPolicy ${policy.metadata.name}: there is no port ${port.port}`;
      }
    }
  }
}

// Yields each pair of a caller and the address that it calls, as text. An address outside of the
// namespace (Postgres, the public door) is only a port.
function* callsOf(workload, services) {
  for (const container of templateOf(workload).spec.containers) {
    for (const {name, port} of addressesOf(container)) {
      const target = services.find((s) => s.metadata.name === name);
      if (target) yield `${nameOf(workload)} to ${target.spec.selector[NAME]}:${port}`;
    }
    for (const {name, value} of container.env ?? []) {
      if (name === 'TAROT_DSN') yield `${nameOf(workload)} to :5432`;
      // The door itself has a variable of this name, without a scheme.
      const port = /^https:\/\/.*:(\d+)$/.exec(value)?.[1];
      if (port) yield `${nameOf(workload)} to :${port}`;
    }
  }
}

// The network policies must allow exactly the calls that the flags and variables of the pods name.
function* callFindings(where, objects, workloads, services) {
  const policies = objects.filter((o) => o.kind === 'NetworkPolicy');
  const namesOf = ({matchLabels, matchExpressions}) =>
      matchLabels ? [matchLabels[NAME]] : (matchExpressions ?? []).flatMap((e) => e.values);
  // Returns the other ends of a rule. An end that is no pod of this namespace has no name.
  const endsOf = (ends) => (ends ?? [{}]).flatMap((end) => {
    const names = namesOf(end.podSelector ?? {});
    return names.length > 0 ? names : [''];
  });
  const out = new Set(), into = new Set();
  for (const {spec} of policies) {
    for (const name of namesOf(spec.podSelector)) {
      for (const {to, ports} of spec.egress ?? [])
        for (const end of endsOf(to))
          for (const {port} of ports) out.add(`${name} to ${end}:${port}`);
      for (const {from} of spec.ingress ?? [])
        for (const end of endsOf(from)) into.add(`${end} to ${name}`);
    }
  }
  const calls = new Set(workloads.flatMap((w) => [...callsOf(w, services)]));
  for (const call of calls) {
    const [, caller, callee] = /^(.*) to (.*):/.exec(call);
    if (!out.has(call)) yield `${where}: no NetworkPolicy lets out the call of ${call}`;
    if (callee && !into.has(`${caller} to ${callee}`))
      yield `${where}: no NetworkPolicy lets in the call of ${call}`;
  }
  const pairs = new Set([...calls].map((call) => call.replace(/:\d+$/, '')));
  // Replicas may call each other. Players come from everywhere, but only to the gateway.
  const own = (pair) => /^(.*) to \1$/.test(pair);
  pairs.add(' to gateway');
  for (const call of out) {
    if (!calls.has(call) && !own(call.replace(/:\d+$/, '')))
      yield `${where}: a NetworkPolicy lets out a call that no flag makes: ${call}`;
  }
  for (const pair of into) {
    if (!pairs.has(pair) && !own(pair))
      yield `${where}: a NetworkPolicy lets in a call that no flag makes: ${pair}`;
  }
}

// `parts` has the objects of an overlay. The objects of '.' run all the time, those of 'migrations'
// before a new version starts, and those of 'settings' after it has started.
export function* policyFindings(
    overlay, tree, parts, {flagFindings, variableFindings, commandFindings, realFlags}) {
  const images = new Set(readdirSync(join(tree, 'deploy/images'))
                             .filter((f) => f.endsWith('.Dockerfile'))
                             .map((f) => `tarot-${f.replace('.Dockerfile', '')}`));
  const readme = readFileSync(join(tree, 'deploy/kubernetes/README.md'), 'utf8');
  const metrics = readFileSync(join(tree, 'docs/metrics.md'), 'utf8');
  const everything = Object.values(parts).flat();
  const services = everything.filter((o) => o.kind === 'Service');
  const workloads = everything.filter((o) => WORKLOADS.includes(o.kind));
  for (const workload of workloads) {
    const where = `${overlay}: ${workload.kind} ${workload.metadata.name}`;
    const spec = templateOf(workload).spec;
    const isJob = workload.kind === 'Job';
    yield* podFindings(where, spec);
    if (!isJob) yield* availabilityFindings(where, workload, parts['.']);
    for (const container of spec.containers) {
      const at = `${where}: ${container.name}`;
      yield* containerFindings(at, spec, container, isJob);
      yield* addressFindings(at, container, services);
      const image = container.image.replace(/.*\//, '').replace(/:.*/, '');
      if (!images.has(image)) yield `${at}: deploy/images makes no image ${image}`;
      const program = container.command?.[0].slice(1) ?? image;
      yield* flagFindings(at, program, container.args ?? []);
      yield* variableFindings(at, program, (container.env ?? []).map(({name}) => name));
      yield* operatorFindings(at, image, container.args ?? []);
      for (const probe of PROBES)
        yield* commandFindings(at, image, container[probe]?.exec?.command);
      for (const {name, key} of secretsOf(spec, container)) {
        if ((name === 'tarot-operators' && image !== 'tarot-admin') || image === 'tarot-probe')
          yield `${at}: it must not read the secret ${name}`;
        if (images.has(name) && name !== image && spec.containers.every((c) => !isOf(c, name)))
          yield `${at}: it must not read the secret of another service, ${name}`;
        if (!readme.split('\n').some(
                (line) => line.includes(`\`${name}\``) && line.includes(`\`${key}\``))) {
          yield `${at}: the README does not list the secret ${name}, ${key}`;
        }
        if ((name === 'tarot-database-owner') !== isJob && name.startsWith('tarot-database')) {
          yield `${at}: ${name} belongs to ${isJob ? 'services' : 'the migrations'} only`;
        }
      }
    }
  }
  for (const service of services) {
    const where = `${overlay}: Service ${service.metadata.name}`;
    const pods = workloads.filter((w) => labelled(service.spec.selector, w));
    if (pods.length > 1) yield `${where}: it selects the pods of several workloads`;
    if (service.spec.selector?.[NAME] === 'admin') yield `${where}: it names the operators' door`;
    for (const port of service.spec.ports) {
      if (!pods.some((w) => portsOf(w).some((p) => p.name === port.targetPort)))
        yield `${where}: no pod has the port ${port.targetPort}`;
    }
  }
  for (const scaler of everything.filter((o) => o.kind === 'HorizontalPodAutoscaler')) {
    const where = `${overlay}: HorizontalPodAutoscaler ${scaler.metadata.name}`;
    if (!workloads.some((w) => w.metadata.name === scaler.spec.scaleTargetRef?.name))
      yield `${where}: nothing to scale`;
    for (const metric of scaler.spec.metrics ?? []) {
      const series = metric.pods?.metric.name;
      if (series && !metrics.includes(`\`${series}\``))
        yield `${where}: docs/metrics.md has no ${series}`;
    }
  }
  yield* networkFindings(overlay, parts['.'], workloads);
  yield* callFindings(overlay, parts['.'], workloads, services);
  yield* cellFindings(overlay, workloads, services);

  // Each service with a database has a migration, which runs before the services.
  const jobs = parts.migrations.filter((o) => o.kind === 'Job');
  for (const workload of parts['.'].filter((o) => WORKLOADS.includes(o.kind))) {
    const {name} = workload.metadata;
    if (workload.kind === 'Job') yield `${overlay}: the job ${name} runs beside the services`;
    if (!realFlags(`tarot-${nameOf(workload)}`).has('migrate_only')) continue;
    const {image} = templateOf(workload).spec.containers[0];
    const job = jobs.find((j) => {
      const container = templateOf(j).spec.containers[0];
      return container.image === image && databaseOf(container) === databaseOf(
          templateOf(workload).spec.containers[0]);
    });
    if (!job || !templateOf(job).spec.containers[0].args.includes('--migrate_only')) {
      yield `${overlay}: no job migrates the schema of ${name} to the version of its image`;
    }
  }
  const rules = parts['.'].find((o) => o.metadata.name === 'rules' && WORKLOADS.includes(o.kind));
  if (rules?.kind !== 'StatefulSet') yield `${overlay}: rules is no StatefulSet`;
}
