import type { InstallPlan, InstallPlanStatus } from '../../../kernel/api/install-plan.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';

/**
 * Flotilla's annotation of an InstallPlan: the authentication code of the plan's content, made with the key
 * of the hub. A plan of another author has none, and a code that is copied to another plan, namespace or
 * cluster is wrong there.
 */
export const PLAN_MARK_ANNOTATION = 'flotilla.dev/made-by-hub';

/**
 * Annotation of a Namespace, ours: with value `true`, plans there that the hub did not make are not executed.
 */
export const REFUSE_FOREIGN_ANNOTATION = 'flotilla.dev/refuse-foreign-installplans';

/**
 * Returns the parts of a plan that the code covers: its place, its name, and all content that its steps
 * write. The progress of the steps, the approval, and the uid from the API server are left out.
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

const FOREIGN = 'the hub did not create this InstallPlan, or it was changed since: the hub does not execute it';

/** True if the plan failed because it is not the hub's own. */
export const isRefusedAsForeign = ({ status }: InstallPlan): boolean =>
  status?.phase === 'Failed' && (status.message ?? '').startsWith(FOREIGN);

/** The message on such a plan; `because`: the setting or annotation that asks for it. */
export const foreignText = (because: string): string => `${FOREIGN} (${because})`;
