import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';

/**
 * Annotation of an InstallPlan, ours: the authentication code of what the plan installs, made with the
 * key of the hub. A plan of another author has none, and a code that is copied to another plan, namespace
 * or cluster is wrong there.
 */
export const PLAN_MARK_ANNOTATION = 'flotilla.dev/made-by-hub';

/**
 * Annotation of a Namespace, ours: with value `true`, plans there that the hub did not make are not executed.
 */
export const REFUSE_FOREIGN_ANNOTATION = 'flotilla.dev/refuse-foreign-installplans';

/**
 * What the code of a plan covers: where it is, its name, and all that its steps write. Not how far they are,
 * whether the plan is approved, or the uid that the API server gives it.
 */
export const markedParts = (
  cluster: string,
  { metadata, spec }: InstallPlan,
  status: InstallPlanStatus | undefined,
): readonly string[] => [
  'install-plan',
  cluster,
  metadata.namespace ?? '',
  metadata.name ?? '',
  canonicalJson(spec.clusterServiceVersionNames),
  ...(status?.plan ?? []).map((step) =>
    step === null
      ? 'null'
      : canonicalJson([
          step.resolving,
          ...(['group', 'version', 'kind', 'name', 'sourceName', 'sourceNamespace', 'manifest'] as const).map(
            (field) => step.resource[field] ?? '',
          ),
        ]),
  ),
];

const FOREIGN = 'this InstallPlan is not one that the hub made, or was changed since: it is not executed here';

/** Whether the plan failed for not being the hub's own. */
export const isRefusedAsForeign = ({ status }: InstallPlan): boolean =>
  status?.phase === 'Failed' && (status.message ?? '').startsWith(FOREIGN);

/** The message on such a plan; `because`: the setting or annotation that asks for it. */
export const foreignText = (because: string): string => `${FOREIGN} (${because})`;
