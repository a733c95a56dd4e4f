import { useRoute } from 'preact-iso';
import { shellWord } from '#core/kernel/text/shell-word';
import type { PackageDetail } from '../../../src/api/catalogs.schema.js';
import type { CatalogList } from '../../../src/api/lists.schema.js';
import { exactly, paths, rowPaths, withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted, dateIn } from '../../live/times.js';
import { Bar } from '../../parts/bars.js';
import { CodeBlock } from '../../parts/copy.js';
import { Fact } from '../../parts/fact.js';
import { Icon } from '../../parts/icon.js';
import { Page, Section } from '../../parts/page.js';
import { SameCommand } from '../../parts/same-command.js';
import { Deprecated } from '../../parts/standing.js';
import { Answered, Bones, Empty } from '../../parts/states.js';
import { Tabs } from '../../parts/tabs.js';
import { PackageIcon, Rich, shortDigest } from '../../parts/text.js';
import { Graph } from './graph.js';

/** One package of one content: its description, its versions, its graph, and its clusters. */
export default function PackagePage() {
  const { id = '', package: name = '' } = useRoute().params;
  const detail = useLoaded<PackageDetail>(`catalogs/${encodeURIComponent(id)}/packages/${encodeURIComponent(name)}`);
  const data = detail.data;
  return (
    <Page
      title={data?.displayName || name}
      heading={
        data && (
          <span class="with-icon">
            <PackageIcon icon={data.icon} name={data.displayName || name} large /> {data.displayName || name}
          </span>
        )
      }
      note={data && <span class="pale">{data.provider}</span>}
      above={
        <>
          <a href="/catalogs">Catalogs</a> / <a href={paths.catalog(id)}>{data?.catalog ?? id}</a> / <span>{name}</span>
        </>
      }
    >
      {detail.refusal?.status === 404 ? (
        <Gone id={id} name={name} />
      ) : (
        <Answered of={detail}>{(one) => <Shown of={one} id={id} name={name} />}</Answered>
      )}
      {data && <InTerminal id={id} name={name} />}
    </Page>
  );
}

/** The command that reads the same from the image of the catalog. */
function InTerminal({ id, name }: { id: string; name: string }) {
  const [query] = useQuery();
  const image = useLoaded<CatalogList>(rowPaths.content(id)).data?.items[0]?.image ?? '';
  if (image === '') return null;
  const [ref, named] = [shellWord(image), shellWord(name)];
  const graph = `flotilla catalog graph ${ref} --package ${named}`;
  return <SameCommand command={query['view'] === 'graph' ? graph : `flotilla catalog bundles ${ref} ${named}`} />;
}

/** The content left all clusters, or another one came without this package. */
function Gone({ id, name }: { id: string; name: string }) {
  const catalogs = useLoaded<CatalogList>(rowPaths.content(id));
  if (catalogs.data === undefined) return catalogs.refusal ? <NoContent name={name} /> : <Bones />;
  const [one] = catalogs.data.items;
  if (one === undefined) return <NoContent name={name} />;
  return (
    <Empty title={`This content of ${one.name} has no package ${name}.`}>
      <p>
        <a href={paths.catalog(id)}>What it has</a> · <Elsewhere name={name} />
      </p>
    </Empty>
  );
}

const NoContent = ({ name }: { name: string }) => (
  <Empty title="No cluster uses this content now.">
    <p>
      <a href="/catalogs">Contents that clusters have now</a> · <Elsewhere name={name} />
    </p>
  </Empty>
);

const Elsewhere = ({ name }: { name: string }) => (
  <>
    <a href={paths.package(name)}>Operators of {name}</a> ·{' '}
    <a href={withQuery('/changes', exactly({ package: name }))}>What changed</a>
  </>
);

function Shown({ of, id, name }: { of: PackageDetail; id: string; name: string }) {
  const [query] = useQuery();
  const view = query['view'] ?? 'about';
  const installed = of.where.reduce((sum, { clusters }) => sum + clusters, 0);
  const tabs = [
    { view: 'about', title: 'About' },
    { view: 'versions', title: 'Versions' },
    { view: 'graph', title: 'Graph' },
    { view: 'where', title: 'Where it runs', note: count(installed) },
  ];
  return (
    <>
      {of.deprecation !== '' && <Notice what="This package" text={of.deprecation} />}
      <Tabs tabs={tabs} label="About this package" />
      {view === 'about' && <About of={of} />}
      {view === 'versions' && <Versions of={of} id={id} name={name} />}
      {view === 'graph' && <Graph key={`${id} ${name}`} id={id} name={name} />}
      {view === 'where' && <Where of={of} />}
    </>
  );
}

const Notice = ({ what, text }: { what: string; text: string }) => (
  <p class="notice deprecated">
    <strong>
      <Deprecated>{what} is deprecated.</Deprecated>
    </strong>{' '}
    {text}
  </p>
);

function About({ of }: { of: PackageDetail }) {
  return (
    <div class="columns wide-left">
      <div>
        {of.description.length === 0 ? <Empty title="The package has no description." /> : <Rich of={of.description} />}
        <Section title="Install">
          <p class="pale">The manifest belongs in Git, or apply it with kubectl.</p>
          <CodeBlock label="Manifest" text={of.manifest} />
        </Section>
      </div>
      <aside aria-label="Facts">
        <dl class="facts stacked">
          <Facts of={of} />
        </dl>
        <Provided of={of} />
      </aside>
    </div>
  );
}

function Facts({ of }: { of: PackageDetail }) {
  const lines: readonly (readonly [string, string])[] = [
    ['Default channel', of.defaultChannel],
    ['Capability level', of.capabilities],
    ['Categories', of.categories.join(', ')],
    ['Maturity', of.maturity],
    ['Image', of.image],
    ['Created', dateIn(of.createdAt)],
    ['Support', of.support],
    ['Keywords', of.keywords.join(', ')],
    ['Maintainers', of.maintainers.map(({ name, email }) => (email === '' ? name : `${name} <${email}>`)).join(', ')],
  ];
  return (
    <>
      {lines
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      <Fact name="Install modes">
        {of.installModes.map(({ type, supported }) => (
          <span key={type} class={`mode ${supported ? '' : 'pale'}`}>
            {supported ? <Icon of="check" /> : <span aria-hidden="true">–</span>} {type}
            <span class="hidden">{supported ? ' supported' : ' not supported'}</span>
          </span>
        ))}
      </Fact>
      {of.links.length > 0 && (
        <Fact name="Links">
          {of.links.map(({ name, url }) => (
            <span key={url} class="block">
              <a href={url} rel="noopener noreferrer" target="_blank">
                {name || url}
              </a>{' '}
              <span class="pale small">{new URL(url).host}</span>
            </span>
          ))}
        </Fact>
      )}
      <Fact name="Catalog content">
        <span class="mono">{shortDigest(of.digest)}</span>
      </Fact>
    </>
  );
}

function Provided({ of }: { of: PackageDetail }) {
  return (
    <>
      {of.provided.length > 0 && (
        <Section title="Provides">
          <ul class="bare">
            {of.provided.map(({ kind, version, description }) => (
              <li key={`${kind}${version}`}>
                <strong>{kind}</strong> <span class="pale">{version}</span>
                <span class="second-line">{description}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {of.required.length > 0 && (
        <Section title="Requires">
          <ul class="bare">
            {of.required.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Versions({ of, id, name }: { of: PackageDetail; id: string; name: string }) {
  return (
    <>
      {of.channels.map((channel) => (
        <Section
          key={channel.name}
          title={channel.name}
          aside={channel.name === of.defaultChannel ? <span class="chip still">default</span> : undefined}
        >
          {channel.deprecation !== '' && <Notice what="This channel" text={channel.deprecation} />}
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Bundle</th>
                {/* The column keeps its place in every channel, and its name where something is deprecated. */}
                <th scope="col" class="grow">
                  {channel.entries.some(({ deprecation }) => deprecation !== '') && 'Deprecation'}
                </th>
                <th scope="col" class="number">
                  Clusters
                </th>
              </tr>
            </thead>
            <tbody>
              {channel.entries.map((entry) => (
                <tr key={entry.bundle}>
                  <th scope="row">
                    <a href={withQuery(paths.catalogPackage(id, name), { view: 'graph', from: entry.bundle })}>
                      {entry.version}
                    </a>
                  </th>
                  <td>{entry.bundle}</td>
                  <td class="grow">{entry.deprecation !== '' && <Deprecated>{entry.deprecation}</Deprecated>}</td>
                  <td class="number" data-label="clusters">
                    {entry.clusters === 0 ? '–' : count(entry.clusters)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      ))}
      {of.older > 0 && <p class="pale">{counted(of.older, 'older entry', 'older entries')} not shown.</p>}
    </>
  );
}

function Where({ of }: { of: PackageDetail }) {
  const all = of.where.reduce((sum, { clusters }) => sum + clusters, 0);
  if (all === 0) return <Empty title="No cluster has this operator." />;
  return (
    <>
      <p class="lead">
        In {counted(all, 'cluster')}. <a href={paths.package(of.package)}>Show the operators</a>
      </p>
      <ul class="behind versions">
        {of.where.map(({ bundle, clusters }) => (
          <li key={bundle}>
            <a class="cut" href={withQuery(paths.package(of.package), exactly({ runs: bundle }))} title={bundle}>
              {bundle}
            </a>
            <Bar done={clusters} of={all} label={bundle} />
          </li>
        ))}
      </ul>
    </>
  );
}
