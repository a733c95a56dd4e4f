import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { configMap, configMapRef, ExtensionEnvironment } from './extension-environment.fixture.js';
import type { ExtensionPass } from './extension-pass.js';
import { performOnOwn } from './perform-on-own.js';

let env: ExtensionEnvironment;
let pass: ExtensionPass;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
  env.extension();
  pass = await env.round();
});
afterEach(() => env.stop());

const one = KubernetesObject.parse(configMap('one', { text: 'a' }));
const patchOf = (text: string) => ({ do: 'patch', ref: configMapRef('one'), patch: { data: { text } } }) as const;

describe('actions on what Flotilla owns', () => {
  it('that write something make what was read old', async () => {
    expect(await performOnOwn(pass, [{ do: 'create', object: one }])).toBe(true);
    expect(await performOnOwn(pass, [patchOf('b')])).toBe(true);
  });

  it('that find it done write nothing', async () => {
    env.add(one);
    expect(await performOnOwn(pass, [{ do: 'create', object: one }])).toBe(false);
    expect(await performOnOwn(pass, [patchOf('a')], [one])).toBe(false);
    expect(await performOnOwn(pass, [])).toBe(false);
  });

  it('on an object that is gone make everything that was read old: the next reads are live', async () => {
    const { reader } = pass;
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'late' };
    await reader.list(role);
    env.add({ apiVersion: role.apiVersion, kind: role.kind, metadata: { name: 'late' }, rules: [] });
    expect(await reader.get(role)).toBeUndefined();
    expect(await performOnOwn(pass, [{ ...patchOf('b'), ref: configMapRef('gone') }])).toBe(true);
    expect(await reader.get(role)).toBeDefined();
  });

  it.each([
    ['a namespace that is missing', 404, 'NotFound'],
    ['a refusal', 403, 'Forbidden'],
    ['a conflict', 409, 'Conflict'],
  ])('end with %s', async (_, status, reason) => {
    env.cluster.failNext({ verb: 'create', resource: 'configmaps' }, status, reason);
    await expect(performOnOwn(pass, [{ do: 'create', object: one }])).rejects.toMatchObject({ reason });
  });
});
