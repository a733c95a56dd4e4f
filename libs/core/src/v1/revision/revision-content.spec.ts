import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { externalisePhases } from './externalise-phases.js';
import { revisionContent } from './revision-content.js';

const configMap = (name: string, text: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
});
const options = { revision: 'lamp-1', extension: 'lamp', systemNamespace: 'system', compress: gzipSync };
const phases = [
  { name: 'configuration', objects: [configMap('a', 'one'), configMap('b', 'two')] },
  { name: 'deploy', objects: [configMap('c', 'three')] },
];

const externalise = (of: typeof phases) => externalisePhases(of, options);

function stored(of = phases) {
  const made = externalise(of);
  if ('error' in made) throw new Error(made.error);
  const revision: ClusterObjectSet = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterObjectSet',
    metadata: { name: 'lamp-1' },
    spec: { lifecycleState: 'Active', revision: 1, collisionProtection: 'Prevent', phases: [...made.phases] },
  };
  return { revision, secrets: made.secrets };
}

const read = (revision: ClusterObjectSet, secrets: readonly KubernetesObject[]) =>
  revisionContent(
    revision,
    (place) => secrets.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === place),
    { systemNamespace: 'system', inflate: gunzipSync },
  );
const namesOf = (content: ReturnType<typeof read>) =>
  'phases' in content
    ? content.phases.map(({ name, objects }) => [name, ...objects.map(({ object }) => object.metadata.name)])
    : content.error;

describe('the manifests of a revision', () => {
  it('lie in immutable Secrets of their type, labelled with revision and owner', () => {
    const { secrets, revision } = stored();
    expect(secrets).toEqual([
      expect.objectContaining({
        immutable: true,
        type: 'olm.operatorframework.io/object-data',
        metadata: {
          name: expect.stringMatching(/^lamp-1-[0-9a-f]{16}$/),
          namespace: 'system',
          labels: {
            'olm.operatorframework.io/revision-name': 'lamp-1',
            'olm.operatorframework.io/owner-name': 'lamp',
          },
        },
      }),
    ]);
    expect(namesOf(read(revision, secrets))).toEqual([
      ['configuration', 'a', 'b'],
      ['deploy', 'c'],
    ]);
    expect(stored()).toEqual({ revision, secrets });
  });

  it('are spread over Secrets that fit, and compressed where one alone does not', () => {
    // Bytes that no compression makes smaller, the same in every run.
    const noise = (seed: number, kib = 400) => {
      let state = seed;
      const bytes = Buffer.alloc(kib * 768);
      for (let at = 0; at < bytes.length; at += 1) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        bytes[at] = state >>> 24;
      }
      return bytes.toString('base64');
    };
    const large = [{ name: 'deploy', objects: [1, 2, 3, 4].map((seed) => configMap(`n${seed}`, noise(seed))) }];
    expect(stored(large).secrets.length).toBeGreaterThan(1);
    const huge = stored([{ name: 'deploy', objects: [configMap('huge', 'x'.repeat(2_000_000))] }]);
    expect(namesOf(read(huge.revision, huge.secrets))).toEqual([['deploy', 'huge']]);
    const never = externalise([{ name: 'deploy', objects: [configMap('noise', noise(5, 2_000))] }]);
    expect('error' in never && never.error).toMatch(
      /^object in phase 0 index 0 exceeds maximum Secret data size \(.*\) even after compression$/,
    );
  });

  it('block a revision where their Secret could change', () => {
    const { secrets, revision } = stored();
    const [secret] = secrets;
    const mutable = secrets.map((one) => ({ ...one, immutable: false }));
    expect(read(revision, mutable)).toEqual({
      blocked: true,
      error: `the following secrets are not immutable (referenced secrets must have immutable set to true): system/${secret?.metadata.name}`,
    });
  });

  it('block a revision that brings a definition of OLM or Flotilla, with any author', () => {
    const crd = (name: string) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: { group: name.slice(name.indexOf('.') + 1), scope: 'Cluster', names: {}, versions: [] },
    });
    const written = (...names: string[]) => {
      const { revision } = stored();
      const objects = names.map((name) => ({ object: crd(name) }));
      return { ...revision, spec: { ...revision.spec, phases: [{ name: 'crds', objects }] } };
    };
    const refused = read(written('lamps.example.com', 'subscriptions.operators.coreos.com'), []);
    expect(refused).toEqual({
      blocked: true,
      error: expect.stringContaining('"subscriptions.operators.coreos.com" defines an API of OLM or Flotilla'),
    });
    expect(namesOf(read(written('lamps.example.com'), []))).toEqual([['crds', 'lamps.example.com']]);
  });

  it('are waited for where their Secret is missing', () => {
    const { revision } = stored();
    const content = read(revision, []);
    expect(content).toMatchObject({ blocked: false });
    expect(namesOf(content)).toMatch(
      /^resolving ref in phase "configuration": getting Secret system\/(lamp-1-\w+): Secret "\1" not found$/,
    );
  });

  it('block a revision where they became others, until they are the old ones again', () => {
    const { revision, secrets } = stored();
    const content = read(revision, secrets);
    if (!('digests' in content)) throw new Error(content.error);
    const seen = { ...revision, status: { observedPhases: [...content.digests] } };
    expect(read(seen, secrets)).toEqual(content);
    const others = stored([{ name: 'configuration', objects: [configMap('a', 'other')] }, ...phases.slice(1)]);
    const swapped = { ...seen, spec: others.revision.spec };
    expect(namesOf(read(swapped, others.secrets))).toMatch(
      /^resolved content of 1 phase\(s\) has changed: phase "configuration" \(expected digest sha256:\w{64}, got sha256:\w{64}\); a referenced object source may have been deleted and recreated with different content$/,
    );
  });
});
