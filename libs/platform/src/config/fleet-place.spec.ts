import { describe, expect, it } from 'vitest';
import { openFleetHub } from '../fleet/open-fleet-hub.js';
import { FleetPlaceError, fleetPlace } from './fleet-place.js';
import { readSettings } from './settings.js';

const settingsWith = (fleet: string) => readSettings({ FLOTILLA_FLEET: fleet });

describe('FLOTILLA_FLEET', () => {
  it('is a context, the cluster of the hub, a folder, or nothing', () => {
    expect(fleetPlace('')).toBeUndefined();
    expect(fleetPlace('in-cluster')).toEqual({ in: 'cluster' });
    expect(fleetPlace('context:hub')).toEqual({ in: 'context', context: 'hub' });
    expect(fleetPlace('dir:fleet/')).toEqual({ in: 'folder', path: 'fleet/' });
  });

  it('that is a folder is for one process alone', async () => {
    const opening = openFleetHub(settingsWith('dir:fleet'), { fieldManager: 'flotilla-applier' });
    await expect(opening).rejects.toThrow(FleetPlaceError);
    await expect(opening).rejects.toThrow(/works only with "flotilla up"; .* context:NAME or in-cluster/);
  });

  it('of another form is no setting', () => {
    expect(() => settingsWith('hub')).toThrow('FLOTILLA_FLEET: "hub" is not context:NAME, in-cluster or dir:PATH');
  });

  it('says what it needs outside of Kubernetes', async () => {
    const opening = openFleetHub(settingsWith('in-cluster'), { fieldManager: 'flotilla-fleet-controller' });
    await expect(opening).rejects.toThrow(/FLOTILLA_FLEET=in-cluster needs a hub that runs in Kubernetes/);
  });

  it('that is empty opens nothing', async () => {
    expect(await openFleetHub(settingsWith(''), { fieldManager: 'x' })).toBeUndefined();
  });
});
