import type { PackageList } from '../../../src/api/lists.schema.js';
import { exactly, paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { counted } from '../../live/times.js';
import { Bones, Empty } from '../../parts/states.js';

/** The id of a rollout that is derived from the clusters is `package@bundle`; of others it is their object. */
const DERIVED = /^([^@]+)@(.+)$/;

/** A rollout that is no more. Of one that is derived the clusters say whether all of them have arrived. */
export function Ended({ id }: { id: string }) {
  const [, name, target] = DERIVED.exec(id) ?? [];
  const packages = useLoaded<PackageList>(name && rowPaths.package(name));
  if (name !== undefined && packages.data === undefined && !packages.refusal) return <Bones />;
  const arrived = packages.data?.items[0]?.versions.find(({ bundle }) => bundle === target);
  const onward = (
    <p>
      <a href={withQuery('/changes', exactly({ package: name }))}>Changes</a> · <a href="/rollouts">Rollouts</a>
      {arrived && name && (
        <>
          {' · '}
          <a href={paths.package(name)}>Operators</a>
        </>
      )}
    </p>
  );
  if (arrived)
    return (
      <Empty title={`The rollout has ended: ${target} runs in ${counted(arrived.clusters, 'cluster')}.`}>
        {onward}
      </Empty>
    );
  return (
    <Empty title="This rollout no longer exists.">
      <p>It ended and was removed, or no cluster is moving to its version.</p>
      {onward}
    </Empty>
  );
}
