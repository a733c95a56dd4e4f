import { type DoctorCheck, ok, warning } from '#core/cluster/doctor/machine-checks';
import { inParallel } from '#platform/fairness/in-parallel';
import { lineOf } from '../../clusters/ask-clusters.js';
import { commandRegistryClient, logins } from '../../inputs/registry-access.js';
import { catalogName } from './check-policy.js';

/** Most images that are asked: one of each registry and repository is enough. */
const MOST = 20;
const AT_ONCE = 4;

/**
 * Checks that the registries of the catalogs answer, with the logins of this machine. A hub may have others,
 * from the pull secrets of the clusters.
 */
export async function checkRegistries(images: readonly string[]): Promise<readonly DoctorCheck[]> {
  if (images.length === 0) return [];
  const registry = await commandRegistryClient();
  const asked = await inParallel(images.slice(0, MOST), AT_ONCE, async (image) => {
    const name = catalogName(image);
    try {
      await registry.resolve(image, { credentials: await logins(image) });
      return ok(name, 'its registry answers');
    } catch (error) {
      const todo =
        'check that the registry can be reached from here and that the login is valid; the hub may have its own login';
      return warning(name, lineOf(error), todo);
    }
  });
  const further = images.length - asked.length;
  return further > 0 ? [...asked, ok('catalogs', `${further} further catalog images were not asked for`)] : asked;
}
