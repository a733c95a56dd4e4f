import type { PackageList } from '../../../src/api/lists.schema.js';
import { exactly, paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { counted } from '../../live/times.js';
import { Bones, Empty } from '../../parts/states.js';

/** The id of a roll-out that is derived from the clusters is `package@bundle`; of others it is their object. */
const DERIVED = /^([^@]+)@(.+)$/;

/** A roll-out that is no more. Of one that is derived the clusters say whether all of them have arrived. */
export function Ended({ id }: { id: string }) {
  const [, name, target] = DERIVED.exec(id) ?? [];
  const packages = useLoaded<PackageList>(name && rowPaths.package(name));
  if (name !== undefined && packages.data === undefined && !packages.refusal) return <Bones />;
  const arrived = packages.data?.items[0]?.versions.find(({ bundle }) => bundle === target);
  const onward = (
    <p>
      <a href={withQuery('/changes', exactly({ package: name }))}>Changes</a> · <a href="/rollouts">Roll-outs</a>
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
      <Empty title={`No cluster is on its way any more: ${target} runs in ${counted(arrived.clusters, 'cluster')}.`}>
        {onward}
      </Empty>
    );
  return (
    <Empty title="This roll-out is not known any more.">
      <p>It ended and was forgotten, or it is derived and no cluster is on its way.</p>
      {onward}
    </Empty>
  );
}
