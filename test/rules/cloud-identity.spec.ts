import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';

const helm = await programs({ program: 'helm' });
const kubectl = await programs({ program: 'kubectl' });

/** The YAML of the section, in its order: values for EKS, values for AKS, a kustomization. */
const [, section = ''] = readFileSync(join(PROJECT_ROOT, 'docs/cloud-logins.md'), 'utf8').split(
  '\n## Annotations and labels in Kubernetes\n',
);
const [eks = '', aks = '', kustomization = ''] = [...section.matchAll(/```yaml\n([^`]*)```/g)].map(([, text]) => text);

const EKS = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::111122223333:role/flotilla' };
const AKS = { 'azure.workload.identity/client-id': '00000000-0000-0000-0000-000000000000' };
const ON_AKS = { annotations: AKS, use: 'true' };

/** Annotations of ServiceAccounts, and labels of Pods beside the name, by service. */
function identities(text: string): Readonly<Record<string, object>> {
  const objects = parseAllDocuments(text, { version: '1.1' }).map((one) => Object(one.toJS()));
  const services = ['catalog-poller', 'resolver-worker', 'applier'];
  const find = (kind: string, name: string) => objects.find((one) => one.kind === kind && one.metadata.name === name);
  return Object.fromEntries(
    services.map((name) => {
      const { 'azure.workload.identity/use': use } = find('Deployment', name).spec.template.metadata.labels;
      const { annotations } = find('ServiceAccount', name).metadata;
      return [name, { ...(annotations && { annotations }), ...(use && { use }) }];
    }),
  );
}

describe('the identity that a cloud gives the pods, as docs/cloud-logins.md says', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-identity-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  it.each([
    { cloud: 'EKS', values: eks, identity: { annotations: EKS } },
    { cloud: 'AKS', values: aks, identity: ON_AKS },
  ])('of $cloud, with Helm', needing(helm), ({ values, identity }) => {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, values);
    const chart = join(PROJECT_ROOT, 'charts/flotilla');
    const args = ['template', 'hub', chart, '--values', file, '--set', 'plainNames=true'];
    const rendered = execFileSync('helm', [...args, '--kube-version', '1.34.0'], { encoding: 'utf8' });
    expect(identities(rendered)).toEqual({ 'catalog-poller': identity, 'resolver-worker': {}, applier: identity });
  });

  it('of AKS, with kustomize', needing(kubectl), () => {
    const base = relative(realpathSync(folder), join(PROJECT_ROOT, 'k8s/base'));
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      stringify({ kind: 'Kustomization', resources: [base], ...parse(kustomization) }),
    );
    const rendered = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    expect(identities(rendered)).toEqual({ 'catalog-poller': ON_AKS, 'resolver-worker': {}, applier: ON_AKS });
  });
});
