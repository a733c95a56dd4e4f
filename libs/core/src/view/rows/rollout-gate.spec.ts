import { describe, expect, it } from 'vitest';
import { GateSpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { RolloutGate, rolloutGate } from './rollout-gate.js';

const AT = Date.parse('2026-11-26T10:00:00Z');
const gate = (check: object) => GateSpec.parse({ name: 'errors', ...check });
const QUERY = gate({ scope: 'Wave', prometheus: { url: 'https://p.example.com', query: 'rate(x)', max: 0.01 } });

describe('a gate as the console shows it', () => {
  it.each([
    [QUERY, 'prometheus', 'at most 0.01'],
    [gate({ prometheus: { url: 'https://p.example.com', query: 'up', min: 3 } }), 'prometheus', 'at least 3'],
    [gate({ webhook: { url: 'https://hooks.example.com/v1/secret-path?token=abc' } }), 'webhook', 'hooks.example.com'],
    [gate({ cel: { apiVersion: 'v1', kind: 'Pod', name: 'a', expression: 'true' } }), 'cel', 'true'],
  ])('has its limit, and of a webhook the host alone: %#', (spec, check, limit) => {
    expect(RolloutGate.parse(rolloutGate(spec, []))).toMatchObject({ check, limit, askedAt: '', green: 0, red: 0 });
  });

  it('counts clusters by their answers, names red ones, and says when it was last asked', () => {
    const answers = [
      { cluster: 'b', progress: { state: 'Red', askedAt: AT } },
      { cluster: 'a', progress: { state: 'Red', askedAt: AT - 1_000 } },
      { cluster: 'c', progress: { state: 'Green', askedAt: AT - 2_000 } },
      { cluster: 'd', progress: { state: 'Unknown', askedAt: AT - 2_000 } },
      { cluster: 'e', progress: { state: null, askedAt: Number.NEGATIVE_INFINITY } },
    ] as const;
    expect(rolloutGate(QUERY, answers)).toMatchObject({
      ...{ green: 1, red: 2, unknown: 1, sample: ['a', 'b'], askedAt: '2026-11-26T10:00:00.000Z' },
    });
  });
});
