import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { LONG_PATIENCE_MS, PATIENCE, PATIENCE_MS } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import { buoyCrd } from './contract-objects.js';

const run = promisify(execFile);
const kubectlThere = await programs({ program: 'kubectl' });

type Cluster = Readonly<{ kubeconfig: string; stop: () => Promise<void> }>;
type Command = Readonly<{
  args: string;
  says: RegExp;
  fails?: boolean;
  stdin?: string;
  /** Repeated until it says so: it changes nothing, and the API server may know it a moment later. */
  soon?: boolean;
}>;

const PATIENTLY = `--timeout=${PATIENCE_MS}ms`;
const NAMESPACE = 'kubectl-contract';
const GROUP = 'kubectl.example.com';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:keeper`;
const configMap = (data: Record<string, string>) =>
  stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace: NAMESPACE }, data });
const buoy = (spec: object) =>
  stringify({ apiVersion: `${GROUP}/v1`, kind: 'Buoy', metadata: { name: 'east', namespace: NAMESPACE }, spec });

/** The commands in this order; each finds the state that those before it left. */
const commands: readonly Command[] = [
  { args: `create namespace ${NAMESPACE}`, says: /^namespace\/kubectl-contract created/ },
  { args: 'create serviceaccount keeper', says: /^serviceaccount\/keeper created/ },
  { args: 'create secret generic lamp --from-literal=oil=whale', says: /^secret\/lamp created/ },
  { args: 'get secret lamp -o jsonpath={.type}:{.data.oil}', says: /^Opaque:d2hhbGU=$/ },
  { args: 'create configmap log --from-literal=day=1', says: /^configmap\/log created/ },
  { args: 'create deployment web --image=web:1 --replicas=0 --port=80', says: /^deployment.apps\/web created/ },
  {
    args: 'get deployment web -o jsonpath={.spec.replicas}:{.spec.strategy.type}:{.spec.template.spec.containers[0].ports}',
    says: /^0:RollingUpdate:\[{"containerPort":80,"protocol":"TCP"}]$/,
  },
  { args: 'create role reader --verb=get,list --resource=pods,deployments.apps', says: /reader created/ },
  { args: `create rolebinding reader --role=reader --serviceaccount=${NAMESPACE}:keeper`, says: /reader created/ },
  { args: 'create quota little --hard=count/widgets.example.com=4', says: /^resourcequota\/little created/ },
  { args: 'create service clusterip web --tcp=80:https', says: /^service\/web created/ },
  { args: 'get service web -o jsonpath={.spec.ports[0].targetPort}', says: /^https$/ },
  { args: 'create job once --image=busybox -- date', says: /^job.batch\/once created/ },
  { args: 'create cronjob wind --image=busybox --schedule=@daily -- date', says: /^cronjob.batch\/wind created/ },
  { args: 'create ingress web --rule=web.example.com/=web:80', says: /^ingress.networking.k8s.io\/web created/ },
  { args: 'create poddisruptionbudget web --selector=app=web --min-available=50%', says: /web created/ },
  { args: 'create configmap log --from-literal=day=1', says: /"log" already exists/, fails: true },
  { args: 'create token keeper', says: /^\S{20,}/ },
  { args: 'auth can-i create pods', says: /^yes/ },
  { args: `auth can-i list deployments.apps --as=${ACCOUNT}`, says: /^yes/, soon: true },
  { args: `auth can-i delete pods --as=${ACCOUNT}`, says: /^no/, fails: true },
  { args: `auth can-i get /version --as=${ACCOUNT} --as-group=system:authenticated`, says: /^yes/ },
  { args: `auth can-i get /metrics --as=${ACCOUNT}`, says: /^no/, fails: true },
  { args: `auth can-i --list --as=${ACCOUNT}`, says: /\n(deployments.apps|pods) +\[] +\[] +\[get list]/ },
  { args: `auth whoami --as=${ACCOUNT}`, says: /Username +system:serviceaccount:kubectl-contract:keeper/ },
  { args: 'scale deployment web --replicas=2', says: /^deployment.apps\/web scaled/ },
  { args: 'get deployment web -o jsonpath={.spec.replicas}:{.metadata.generation}', says: /^2:2$/ },
  {
    args: 'scale deployment web --current-replicas=3 --replicas=1',
    says: /Expected replicas to be 3, was 2/,
    fails: true,
  },
  { args: 'patch deployment web --subresource=scale --type=merge -p {"spec":{"replicas":0}}', says: /web patched/ },
  { args: `rollout status deployment web ${PATIENTLY}`, says: /successfully rolled out/ },
  { args: 'rollout restart deployment web', says: /^deployment.apps\/web restarted/ },
  { args: 'set image deployment/web web=web:2', says: /web image updated/ },
  { args: `wait --for=condition=Available deployment/web ${PATIENTLY}`, says: /condition met/ },
  { args: 'describe deployment web', says: /Replicas:\s+0 desired/ },
  { args: 'label configmap log port=north', says: /^configmap\/log labeled/ },
  { args: 'annotate configmap log note=calm', says: /^configmap\/log annotated/ },
  { args: 'patch configmap log -p {"data":{"day":"2"}}', says: /^configmap\/log patched/ },
  { args: 'get configmaps -l port=north -o name', says: /^configmap\/log\n$/ },
  { args: 'diff -f -', stdin: configMap({ day: '1' }), says: /\+ {2}day: "1"/, fails: true },
  { args: 'apply -f -', stdin: configMap({ day: '1' }), says: /^configmap\/applied created/ },
  { args: 'apply -f -', stdin: configMap({ day: '1' }), says: /^configmap\/applied unchanged/ },
  { args: 'diff -f -', stdin: configMap({ day: '2' }), says: /- {2}day: "1"\n\+ {2}day: "2"/, fails: true },
  {
    args: 'apply -f -',
    stdin: stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed' } }],
    }),
    says: /^configmap\/listed created/,
  },
  // The time limit holds for the first answer, too.
  {
    args: 'get --watch configmap applied --output=name --request-timeout=1s',
    says: /^configmap\/applied/,
    soon: true,
  },
  { args: 'events', says: /LAST SEEN|No events found/ },
  { args: 'api-resources --api-group=apps -o name', says: /^deployments.apps$/m },
  { args: 'explain deployment.spec.replicas', says: /FIELD: replicas <integer>[\s\S]*Number of desired pods/ },
  { args: 'explain pod.spec.volumes.configMap', says: /FIELD: configMap <ConfigMapVolumeSource>/ },
  { args: 'explain deployment.spec.sails', says: /field "sails" does not exist/, fails: true },
  { args: 'apply -f -', stdin: stringify(buoyCrd(GROUP)), says: /created|unchanged|configured/ },
  // It fails while the definition has no conditions yet.
  { args: `wait --for=condition=Established crd/buoys.${GROUP} ${PATIENTLY}`, says: /condition met/, soon: true },
  {
    args: 'apply -f -',
    stdin: buoy({ harbour: 'north', lamps: 1, light: 'Red!' }),
    says: /The Buoy "east" is invalid: spec.light: Invalid value: "string": light must be a word/,
    fails: true,
    soon: true,
  },
  { args: 'apply -f -', stdin: buoy({ harbour: 'north', lamps: 1 }), says: /^buoy.kubectl.example.com\/east created/ },
  {
    args: 'apply -f -',
    stdin: buoy({ harbour: 'south', lamps: 1 }),
    says: /spec.harbour: Invalid value: "string": harbour is immutable/,
    fails: true,
  },
  { args: `scale buoys.${GROUP} east --replicas=3`, says: /^buoy.kubectl.example.com\/east scaled/ },
  { args: `get buoys.${GROUP} east -o jsonpath={.spec.lamps}`, says: /^3$/ },
  { args: `explain buoys.spec.lamps --api-version=${GROUP}/v1`, says: /FIELD: lamps <integer>/, soon: true },
  { args: 'delete configmap log', says: /"log" deleted/ },
];

/** The commands of kubectl that people use to look around; run on the simulator and on a real API server. */
export function kubectlContract(name: string, start: () => Promise<Cluster>): void {
  describe(`kubectl on ${name}`, () => {
    let cluster: Cluster | undefined;
    let folder = '';

    beforeAll(async () => {
      if (!kubectlThere.isThere) return;
      folder = await mkdtemp(join(tmpdir(), 'kubectl-contract-'));
      cluster = await start();
      await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig, { mode: 0o600 });
    });
    afterAll(async () => {
      if (cluster === undefined) return;
      await kubectl({ args: `delete namespace ${NAMESPACE} --wait=false`, says: /./ });
      await kubectl({ args: `delete crd buoys.${GROUP} --wait=false`, says: /./ });
      await cluster.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    /**
     * Runs a command of kubectl. Returns its output, and true if it failed. kubectl keeps its cache in a
     * separate home.
     */
    async function kubectl({ args, stdin }: Command): Promise<{ text: string; failed: boolean }> {
      const all = ['--kubeconfig', join(folder, 'kubeconfig'), '-n', NAMESPACE, ...args.split(' ')];
      const child = run('kubectl', all, { env: { ...process.env, HOME: folder }, timeout: LONG_PATIENCE_MS });
      child.child.stdin?.end(stdin ?? '');
      return child.then(
        ({ stdout, stderr }) => ({ text: stdout + stderr, failed: false }),
        (error: { stdout?: string; stderr?: string }) => ({
          text: `${error.stdout ?? ''}${error.stderr ?? ''}`,
          failed: true,
        }),
      );
    }

    it('answers every command as people expect', needing(kubectlThere), async () => {
      for (const command of commands) {
        const answers = async () => {
          const { text, failed } = await kubectl(command);
          expect(text, `kubectl ${command.args}`).toMatch(command.says);
          expect(failed, `kubectl ${command.args} fails:\n${text}`).toBe(command.fails ?? false);
        };
        await (command.soon === true ? vi.waitFor(answers, PATIENCE) : answers());
      }
    });
  });
}
