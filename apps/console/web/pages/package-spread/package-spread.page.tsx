import { useRoute } from 'preact-iso';
import { filterValue } from '#core/kernel/text/filter-values';
import type { CatalogList, PackageList, PackageSpread } from '../../../src/api/lists.schema.js';
import { PackageOperators } from '../../list/package-operators.js';
import { exactly, paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { count, counted } from '../../live/times.js';
import { Bar } from '../../parts/bars.js';
import { Fact } from '../../parts/fact.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Counts, Deprecated } from '../../parts/standing.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { VersionHistory } from './version-history.js';

/** One package over the fleet: its versions in each cluster. */
export default function PackageSpreadPage() {
  const name = useRoute().params['package'] ?? '';
  const spread = useLoaded<PackageList>(rowPaths.package(name));
  const one = spread.data?.items[0];
  return (
    <Page title={name} asOf={spread.data?.asOf} above={<a href="/operators?view=packages">Operators</a>}>
      {spread.refusal && <Trouble refusal={spread.refusal} since={spread.failingSince} renew={spread.renew} />}
      {spread.data === undefined && !spread.refusal && <Bones />}
      {spread.data !== undefined && one === undefined && (
        <Empty title={`No cluster has an operator of the package ${name} now.`}>
          <p>
            <a href={withQuery('/changes', exactly({ package: name }))}>What changed in this package</a> ·{' '}
            <a href="/catalogs">Catalogs</a>
          </p>
        </Empty>
      )}
      {one && <Spread of={one} />}
      <SameCommand command="flotilla get subscriptions,extensions" />
    </Page>
  );
}

const Spread = ({ of }: { of: PackageSpread }) => (
  <>
    <SpreadFacts of={of} />
    <Versions of={of} />
    <VersionHistory package={of.package} />
    <PackageOperators
      title="Operators"
      package={of.package}
      filters={['q', 'standing', 'version', 'channel', 'catalog', 'cause', 'runs']}
    />
  </>
);

function SpreadFacts({ of }: { of: PackageSpread }) {
  const names = of.catalogs.map(filterValue).join(',');
  const catalogs = useLoaded<CatalogList>(names === '' ? undefined : withQuery('catalogs', { catalog: names }));
  const known = catalogs.data?.items.filter(({ digest }) => digest !== '') ?? [];
  return (
    <dl class="facts">
      <Fact name="Status">
        <Counts of={of.counts} />
      </Fact>
      <Fact name="Clusters">{count(of.clusters)}</Fact>
      <Fact name="Newest">{of.newest || 'not known'}</Fact>
      <Fact name="Up to date">
        {count(of.upToDate)}/{count(of.operators)}
      </Fact>
      {of.deprecated > 0 && (
        <Fact name="Deprecated">
          <Deprecated>{counted(of.deprecated, 'operator')}</Deprecated>
        </Fact>
      )}
      {known.length > 0 && (
        <Fact name="Catalogs">
          {known.map((one, index) => (
            <span key={one.id}>
              {index > 0 && ', '}
              <a href={`${paths.catalogPackage(one.id, of.package)}?view=graph`}>{one.name}</a>
              {known.some((other) => other !== one && other.name === one.name) && (
                <span class="mono pale"> {one.id.slice(0, 8)}</span>
              )}
            </span>
          ))}
        </Fact>
      )}
    </dl>
  );
}

/** Clusters by the version that they have. */
const Versions = ({ of }: { of: PackageSpread }) => (
  <Section title="Versions">
    <ul class="behind versions">
      {of.versions.map(({ version, bundle, clusters }) => (
        <li key={bundle}>
          <a class="cut" href={withQuery(paths.package(of.package), exactly({ runs: bundle }))} title={bundle}>
            {version || bundle}
          </a>
          <Bar done={clusters} of={of.clusters} label={version} />
        </li>
      ))}
      {of.other > 0 && (
        <li>
          <span>others</span>
          <Bar done={of.other} of={of.clusters} label="other versions" />
        </li>
      )}
      {of.idle > 0 && (
        <li>
          <span>nothing runs</span>
          <Bar done={of.idle} of={of.clusters} label="nothing runs" />
        </li>
      )}
    </ul>
  </Section>
);
