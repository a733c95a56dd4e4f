import { OWNED_BY_OLM } from '#core/cluster/joining/cluster-owner';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { hubOfSettings, type OwnerRead, readOwner, writeOwner } from '../../clusters/cluster-owner.js';
import { commandSettings } from '../../hub/command-settings.js';
import { NEXT } from '../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';

export type TakeOverOptions = Readonly<{
  /** The hub that manages the cluster from now on; undefined: that of the settings. */
  hubId: string | undefined;
  dryRun: boolean;
  /** The name of the cluster and the options that lead to it, for the next command. */
  named: string;
}>;

/** Runs `flotilla clusters take-over`: another hub manages the cluster from now on. */
export async function takeOver(client: KubeClient, io: Io, { hubId, dryRun, named }: TakeOverOptions): Promise<void> {
  const { cluster: name } = client;
  const hub = hubId ?? (await hubOfSettings(commandSettings(process.env)))?.id;
  if (hub === undefined) throw new UsageError('specify a hub with --hub-id: check "owners" of its health names it');
  if (hub === OWNED_BY_OLM) throw new UsageError(`--hub-id "${OWNED_BY_OLM}" is not a hub`);
  const owner = await readOwner(client);
  if (owner.holder === OWNED_BY_OLM) {
    io.err(`error: ${name} is handed over to OLM; to take it back: ${NEXT.handoverFromOlm(named)}\n`);
    return io.exit(ExitCode.no);
  }
  if (owner.holder === hub) {
    if (owner.instance === '') io.out(`cluster ${name} is already managed by hub ${hub}\n`);
    else await freeForInstances(client, io, { hub, owner, dryRun });
    return io.exit(ExitCode.done);
  }
  if (!dryRun) await writeOwner(client, owner, hub);
  const before = owner.holder === '' ? 'none' : owner.holder;
  io.out(`cluster ${name} ${dryRun ? 'would be' : 'is'} managed by hub ${hub} from now on (before: ${before})\n`);
  if (!dryRun && owner.holder !== '') {
    io.err(
      `If hub ${owner.holder} runs, it stops its writes there within ten seconds. Hub ${hub} begins within a minute.\n`,
    );
  }
  io.exit(ExitCode.done);
}

type SameHub = Readonly<{ hub: string; owner: OwnerRead; dryRun: boolean }>;

/** Removes the name of the instance. The first hub with the identity that reads this continues the work. */
async function freeForInstances(client: KubeClient, io: Io, { hub, owner, dryRun }: SameHub): Promise<void> {
  if (!dryRun) await writeOwner(client, owner, hub);
  const which = `instance ${owner.instance} of hub ${hub}`;
  io.out(
    `cluster ${client.cluster} ${dryRun ? 'would be' : 'is'} free of ${which}: the first running hub ${hub} manages it\n`,
  );
}
