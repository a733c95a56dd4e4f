import { type DoctorCheck, failed } from '#core/cluster/doctor/machine-checks';
import type { Settings } from '#platform/config/settings';
import { hubAddress } from '../../hub/hub-address.js';
import { hubHealth } from '../../hub/hub-health.js';
import { hubToken } from '../../hub/hub-token.js';
import { usablePort } from '../../hub/usable-port.js';

/** Checks that `flotilla up` can have its port, as it does itself. A hub that runs already may have it. */
export async function checkPort(settings: Settings): Promise<readonly DoctorCheck[]> {
  try {
    await usablePort(settings.catalogPollerPort, settings.bindAddress);
    return [];
  } catch (error) {
    const { reached } = await hubHealth(hubAddress(settings), await hubToken(settings));
    if (reached) return [];
    const [text = ''] = (error instanceof Error ? error.message : String(error)).split(': ');
    return [failed('port', text, 'choose another port with --port, 0 for any free one')];
  }
}
