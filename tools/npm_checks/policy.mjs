// The rules of the manifests that the types of the Kubernetes API do not have.
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';

const NAME = 'app.kubernetes.io/name';
const WORKLOADS = ['Deployment', 'StatefulSet', 'Job'];

const templateOf = (object) => object.spec.template;
const nameOf = (workload) => templateOf(workload).metadata?.labels?.[NAME];
const portsOf = (workload) => templateOf(workload).spec.containers.flatMap((c) => c.ports ?? []);

// What the Pod Security Standard "restricted" asks for, and a bit more.
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
    if (!volume.secret && !volume.emptyDir)
      yield `${where}: volume ${volume.name} is neither a secret nor empty`;
  }
}

function* containerFindings(where, spec, container, isJob) {
  const {resources, securityContext: security = {}} = container;
  if (!resources?.requests?.cpu || !resources?.requests?.memory)
    yield `${where}: a request is missing`;
  // A limit of CPU time would only delay moves, so there is none.
  if (!resources?.limits?.memory) yield `${where}: the limit of memory is missing`;
  if (security.allowPrivilegeEscalation !== false)
    yield `${where}: allowPrivilegeEscalation is not false`;
  if (security.readOnlyRootFilesystem !== true) yield `${where}: readOnlyRootFilesystem is missing`;
  if (security.privileged) yield `${where}: privileged`;
  if (JSON.stringify(security.capabilities) !== '{"drop":["ALL"]}')
    yield `${where}: capabilities are not dropped`;
  if (!/:[^:/]+$/.test(container.image) || container.image.endsWith(':latest'))
    yield `${where}: no tag of the image`;
  for (const probe of isJob ? [] : ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    if (!container[probe]) yield `${where}: ${probe} is missing`;
  }
  for (const mount of container.volumeMounts ?? []) {
    if (!spec.volumes?.some((v) => v.name === mount.name))
      yield `${where}: there is no volume ${mount.name}`;
  }
  const names = new Set((container.ports ?? []).map((p) => p.name));
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const {httpGet, grpc} = container[probe] ?? {};
    if (httpGet && !names.has(httpGet.port)) yield `${where}: ${probe} asks an unknown port`;
    if (grpc && !container.ports.some((p) => p.containerPort === grpc.port))
      yield `${where}: ${probe} asks an unknown port`;
  }
}

// Every --..._address=NAME:PORT must be a Service and its port.
function* addressFindings(where, container, services) {
  for (const arg of container.args ?? []) {
    const [, name, port] = /^--\w+_address=([a-z][\w-]*):(\d+)$/.exec(arg) ?? [];
    if (!name) continue;
    const service = services.find((s) => s.metadata.name === name);
    if (!service?.spec.ports.some((p) => p.port === Number(port)))
      yield `${where}: ${arg}: there is no such Service and port`;
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
  if (!objects.some(
          (o) => o.kind === 'PodDisruptionBudget' && selects(o.spec.selector) &&
              o.spec.selector.matchLabels)) {
    yield `${where}: there is no PodDisruptionBudget`;
  }
  const scaler = objects.find(
      (o) => o.kind === 'HorizontalPodAutoscaler' && o.spec.scaleTargetRef.name === name);
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
  if (!(template.spec.terminationGracePeriodSeconds >= 30))
    yield `${where}: fewer than 30 s to end`;
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

// `parts` has the objects of an overlay: '.' runs all the time, 'migrations' before, 'settings'
// after.
export function* policyFindings(overlay, tree, parts, flagFindings, realFlags) {
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
      yield* flagFindings(at, container.command?.[0].slice(1) ?? image, container.args ?? []);
      const secrets = [
        ...(container.env ?? []).map((e) => e.valueFrom?.secretKeyRef).filter(Boolean),
        ...(spec.volumes ?? [])
            .filter((v) => v.secret)
            .flatMap((v) => v.secret.items.map((i) => ({name: v.secret.secretName, key: i.key})))
      ];
      for (const {name, key} of secrets) {
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
    const pods = workloads.filter((w) => nameOf(w) === service.spec.selector?.[NAME]);
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

  // Each service with a database has a migration, which runs before the services.
  const jobs = parts.migrations.filter((o) => o.kind === 'Job');
  for (const workload of parts['.'].filter((o) => WORKLOADS.includes(o.kind))) {
    const {name} = workload.metadata;
    if (workload.kind === 'Job') yield `${overlay}: the job ${name} runs beside the services`;
    if (!realFlags(`tarot-${name}`).has('migrate_only')) continue;
    const image = templateOf(workload).spec.containers[0].image;
    const job = jobs.find((j) => templateOf(j).spec.containers[0].image === image);
    if (!job || !templateOf(job).spec.containers[0].args.includes('--migrate_only')) {
      yield `${overlay}: no job migrates the schema of ${name} to the version of its image`;
    }
  }
  const rules = parts['.'].find((o) => o.metadata.name === 'rules' && WORKLOADS.includes(o.kind));
  if (rules?.kind !== 'StatefulSet') yield `${overlay}: rules is no StatefulSet`;
}
