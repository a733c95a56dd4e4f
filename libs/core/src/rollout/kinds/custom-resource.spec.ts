import { describe, expect, it } from 'vitest';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '../../kernel/api/fleet/fleet-kinds.js';
import { fleetCrd } from './custom-resource.js';

const KINDS = Object.keys(ALL_FLEET_KINDS) as AnyFleetKind[];
const namesOf = (kind: AnyFleetKind) => Object(fleetCrd(kind)['spec']).names;

describe('names of the fleet kinds', () => {
  it('are in the category flotilla, for `kubectl get flotilla`', () => {
    expect(KINDS.map((kind) => namesOf(kind).categories)).toEqual(KINDS.map(() => ['flotilla']));
  });

  it('have short names, each of one kind alone', () => {
    const short = KINDS.flatMap((kind) => namesOf(kind).shortNames);
    expect(new Set(short).size).toBe(KINDS.length);
  });
});
