import type { RolloutDetail } from '../../../src/api/lists.schema.js';
import { paths } from '../../live/address.js';
import { count, counted } from '../../live/times.js';
import { Section } from '../../parts/page.js';
import { Inked } from '../../parts/standing.js';
import { Empty } from '../../parts/states.js';

type ClassPath = NonNullable<RolloutDetail['paths']>['classes'][number];
type Step = ClassPath['steps'][number];

/** Shows the steps of each plan class, and the clusters at each step. */
export function PathSteps({ of }: { of: RolloutDetail }) {
  if (of.paths?.classes.length === 0) return null;
  return (
    <Section title="Steps">
      {of.paths === undefined && (
        <Empty title="The steps are unknown.">
          <p>
            The poller may not read FleetPlans in the hub API: apply <code>k8s/components/fleet</code> of this release.
          </p>
        </Empty>
      )}
      {of.paths?.classes.map((one) => (
        <ClassSteps key={one.hash} of={one} />
      ))}
      {of.paths !== undefined && of.paths.more > 0 && (
        <p class="pale after">
          and {counted(of.paths.more, 'class', 'classes')} of fewer clusters: <code>flotilla fleet plan</code> has all.
        </p>
      )}
    </Section>
  );
}

function ClassSteps({ of: { hash, clusters, steps } }: { of: ClassPath }) {
  return (
    <section class="plan-class" aria-label={`Plan class ${hash}`}>
      <h3>
        Plan class <code>{hash}</code>{' '}
        <span class="pale">
          {counted(clusters, 'cluster')} · {counted(steps.length, 'step')}
        </span>
      </h3>
      <ol class="steps">
        {steps.map((step, at) => (
          <li key={step.to}>
            <span class="pale">
              step {at + 1} of {steps.length}
            </span>
            <span>
              {step.from || 'new'} → {step.to}
            </span>
            <There of={step} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function There({ of: { underWay, failed } }: { of: Step }) {
  return (
    <span class="there">
      {underWay.clusters > 0 && (
        <span>
          <Inked of="under-way">{count(underWay.clusters)} under way</Inked>: <Named of={underWay} />
        </span>
      )}
      {failed.clusters > 0 && (
        <span>
          <Inked of="failed">{count(failed.clusters)} failed</Inked>: <Named of={failed} />
        </span>
      )}
    </span>
  );
}

function Named({ of: { clusters, sample } }: { of: Step['underWay'] }) {
  return (
    <>
      {sample.map((cluster, at) => (
        <span key={cluster}>
          {at > 0 && ', '}
          <a href={paths.cluster(cluster)}>{cluster}</a>
        </span>
      ))}
      {clusters > sample.length && ` and ${count(clusters - sample.length)} more`}
    </>
  );
}
