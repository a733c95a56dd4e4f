import { describe, expect, it } from 'vitest';
import { Sightings } from './sightings.js';

const plan = (resourceVersion: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'a', namespace: 'sea', resourceVersion },
});

describe('what was seen of a namespace', () => {
  it('is by kind the newest version, reported once', () => {
    const sightings = new Sightings();
    for (const version of ['9', '11', '10']) sightings.note('sea', plan(version));
    sightings.note('sea', { ...plan('7'), kind: 'Role' });
    sightings.note('land', plan('12'));
    expect(sightings.take('sea')).toEqual({ InstallPlan: '11', Role: '7' });
    expect(sightings.take('sea')).toEqual({});
  });

  it('what could not be reported is reported with the next', () => {
    const sightings = new Sightings();
    sightings.note('sea', plan('10'));
    const seen = sightings.take('sea');
    sightings.note('sea', plan('12'));
    sightings.putBack('sea', seen);
    expect(sightings.take('sea')).toEqual({ InstallPlan: '12' });
  });

  it('an object without a version says nothing', () => {
    const sightings = new Sightings();
    sightings.note('sea', plan(''));
    expect(sightings.take('sea')).toEqual({});
  });

  it('replaces what was stored of each kind before the API server went back, once', () => {
    const sightings = new Sightings(true);
    sightings.note('sea', plan('10'));
    const first = sightings.take('sea');
    expect(first).toMatchObject({ InstallPlan: '10', Role: '0', CustomResourceDefinition: '0' });
    sightings.note('sea', plan('12'));
    expect(sightings.take('sea')).toEqual({ InstallPlan: '12' });
    sightings.putBack('sea', first);
    expect(sightings.take('sea')).toMatchObject({ InstallPlan: '10', Role: '0' });
  });
});
