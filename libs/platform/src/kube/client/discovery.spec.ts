import { beforeEach, describe, expect, it } from 'vitest';
import { Discovery } from './discovery.js';
import { KubeApiError } from './kube-client.port.js';

const LAMPS = { apiVersion: 'lamps.example.com/v1', kind: 'Lamp' };
const PATH = '/apis/lamps.example.com/v1';
const SERVICE_PATH = '/apis/apiregistration.k8s.io/v1/apiservices/v1.lamps.example.com';
const serving = (...kinds: string[]) => {
  const resources = kinds.flatMap((kind) => {
    const name = `${kind.toLowerCase()}s`;
    return [name, `${name}/status`].map((one) => ({ name: one, kind, namespaced: true }));
  });
  return JSON.stringify({ kind: 'APIResourceList', resources });
};
const away = (status: number, reason: string) =>
  new KubeApiError('east', status, reason, 'no backend', [], 'no backend');
const service = (conditions: object[] = []) =>
  JSON.stringify({ spec: { service: { name: 'lamps', namespace: 'system' } }, status: { conditions } });

let answers: Map<string, string | Error>;
let read: string[];
let nowMs: number;
let discovery: Discovery;
beforeEach(() => {
  [answers, read, nowMs] = [new Map(), [], 0];
  const ask = async (path: string) => {
    read.push(path);
    const answer = answers.get(path);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  discovery = new Discovery(ask, () => nowMs);
});

describe('which kinds a cluster serves', () => {
  it('is asked once while it serves them, and again for each kind that is missing', async () => {
    answers.set(PATH, serving('Lamp'));
    expect(await discovery.find(LAMPS)).toEqual({ ...LAMPS, plural: 'lamps', namespaced: true });
    await discovery.find(LAMPS);
    expect(read).toEqual([PATH]);
    expect(await discovery.find({ ...LAMPS, kind: 'Bulb' })).toBeUndefined();
    answers.set(PATH, serving('Lamp', 'Bulb'));
    expect(await discovery.find({ ...LAMPS, kind: 'Bulb' })).toMatchObject({ plural: 'bulbs' });
    expect(read).toHaveLength(3);
  });

  it('is asked with one request by callers at the same time', async () => {
    answers.set(PATH, serving('Lamp'));
    await Promise.all([discovery.find(LAMPS), discovery.find(LAMPS), discovery.findFresh(LAMPS)]);
    expect(read).toEqual([PATH]);
  });

  it('is believed for half a minute by callers who ask whether a kind is still there', async () => {
    answers.set(PATH, serving('Lamp'));
    await discovery.find(LAMPS);
    answers.delete(PATH);
    nowMs = 30_000;
    expect(await discovery.findFresh(LAMPS)).toBeDefined();
    nowMs = 30_001;
    expect(await discovery.findFresh(LAMPS)).toBeUndefined();
  });

  it.each<[what: string, forget: () => void]>([
    ['its API', () => discovery.forget(LAMPS.apiVersion)],
    ['everything', () => discovery.forget()],
    ['its group', () => discovery.forgetGroup('lamps.example.com')],
  ])('is asked again after %s was forgotten', async (_, forget) => {
    answers.set(PATH, serving('Lamp'));
    await discovery.find(LAMPS);
    forget();
    await discovery.find(LAMPS);
    expect(read).toHaveLength(2);
  });

  it('is not asked again where another group was forgotten', async () => {
    answers.set(PATH, serving('Lamp'));
    await discovery.find(LAMPS);
    discovery.forgetGroup('example.com');
    await discovery.find(LAMPS);
    expect(read).toHaveLength(1);
  });

  it('does not count an answer that is no list of kinds', async () => {
    answers.set(PATH, '<html>');
    await expect(discovery.find(LAMPS)).rejects.toThrow('the answer is not a list of resources');
    answers.set(PATH, serving('Lamp'));
    expect(await discovery.find(LAMPS)).toBeDefined();
  });
});

describe('an aggregated API whose backend does not answer', () => {
  const unavailable = { reason: 'APIUnavailable', status: 503, cluster: 'east' };

  it('is named, with what the API server says of it, and what to do', async () => {
    answers.set(PATH, away(503, 'ServiceUnavailable'));
    answers.set(SERVICE_PATH, service([{ type: 'Available', status: 'False', message: 'no endpoints' }]));
    await expect(discovery.find(LAMPS)).rejects.toMatchObject({
      ...unavailable,
      said: 'APIService v1.lamps.example.com is not available: no endpoints',
      message: expect.stringMatching(/; see why Service system\/lamps does not answer, or delete the APIService$/),
    });
  });

  it('is asked again after a second at the earliest, and as long after as it took to fail', async () => {
    answers.set(PATH, away(503, 'ServiceUnavailable'));
    answers.set(SERVICE_PATH, service());
    await expect(discovery.find(LAMPS)).rejects.toMatchObject(unavailable);
    answers.set(PATH, serving('Lamp'));
    nowMs = 999;
    await expect(discovery.find(LAMPS)).rejects.toMatchObject(unavailable);
    nowMs = 1_000;
    expect(await discovery.find(LAMPS)).toBeDefined();
  });

  it.each<[because: string, error: KubeApiError, service: string | Error | undefined]>([
    ['the API server serves it itself', away(503, 'ServiceUnavailable'), JSON.stringify({ spec: { service: null } })],
    ['it is no failure', away(403, 'Forbidden'), service()],
    ['its APIService cannot be read', away(503, 'ServiceUnavailable'), away(403, 'Forbidden')],
    ['there is no APIService', away(503, 'ServiceUnavailable'), undefined],
  ])('is not to blame where %s', async (_, error, answer) => {
    answers.set(PATH, error);
    if (answer !== undefined) answers.set(SERVICE_PATH, answer);
    await expect(discovery.find(LAMPS)).rejects.toBe(error);
  });

  it('is not asked for where the core API fails', async () => {
    answers.set('/api/v1', away(500, 'InternalError'));
    await expect(discovery.find({ apiVersion: 'v1', kind: 'Secret' })).rejects.toMatchObject({
      reason: 'InternalError',
    });
    expect(read).toEqual(['/api/v1']);
  });
});
