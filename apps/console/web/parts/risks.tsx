import type { PlanClassSummary } from '../../src/api/lists.schema.js';

/** The change of a plan class, and the parts of it that are reviewed first. */
export function Risks({ of }: { of: Pick<PlanClassSummary, 'change' | 'crds' | 'rbac' | 'shared'> }) {
  return (
    <span class="risks">
      <span class={`risk ${of.change === 'major' || of.change === 'downgrade' ? 'high' : ''}`}>{of.change}</span>
      {of.crds && <span class="risk high">CRDs</span>}
      {of.rbac && <span class="risk high">permissions</span>}
      {of.shared && <span class="risk high">shared</span>}
    </span>
  );
}
