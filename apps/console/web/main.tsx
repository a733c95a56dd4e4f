import { useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import type { Me } from '../src/api/lists.schema.js';
import { Failed } from './frame/failed.js';
import { Frame } from './frame/frame.js';
import { lazyPage } from './frame/lazy-page.js';
import { SignIn } from './frame/sign-in.js';
import { forgetAnswers, read } from './live/ask.js';
import { askForFleet } from './live/first-look.js';
import { me, signedOut, takeKey } from './live/session.js';
import { startStream } from './live/stream.js';
import { startTheme } from './live/theme.js';
import { showHiddenCharacters } from './parts/visible-text.js';
import './theme/base.css';
import './theme/tokens.css';
import './theme/frame.css';
import './theme/parts.css';
import './theme/pages.css';

const fleetPage = () => import('./pages/fleet/fleet.page.js');
const Fleet = lazyPage(fleetPage);
const Clusters = lazyPage(() => import('./pages/clusters/clusters.page.js'));
const Cluster = lazyPage(() => import('./pages/cluster/cluster.page.js'));
const Operators = lazyPage(() => import('./pages/operators/operators.page.js'));
const PackageSpreadPage = lazyPage(() => import('./pages/package-spread/package-spread.page.js'));
const Operator = lazyPage(() => import('./pages/operator/operator.page.js'));
const Approvals = lazyPage(() => import('./pages/approvals/approvals.page.js'));
const Review = lazyPage(() => import('./pages/review/review.page.js'));
const Together = lazyPage(() => import('./pages/review/together.page.js'));
const Catalogs = lazyPage(() => import('./pages/catalogs/catalogs.page.js'));
const Catalog = lazyPage(() => import('./pages/catalog/catalog.page.js'));
const PackagePage = lazyPage(() => import('./pages/package/package.page.js'));
const Rollouts = lazyPage(() => import('./pages/rollouts/rollouts.page.js'));
const Rollout = lazyPage(() => import('./pages/rollout/rollout.page.js'));
const Changes = lazyPage(() => import('./pages/changes/changes.page.js'));
const Hub = lazyPage(() => import('./pages/hub/hub.page.js'));
const About = lazyPage(() => import('./pages/about/about.page.js'));
const Missing = lazyPage(() => import('./pages/missing/missing.page.js'));

function Pages() {
  return (
    <Router>
      <Route path="/" component={Fleet} />
      <Route path="/clusters" component={Clusters} />
      <Route path="/clusters/:cluster" component={Cluster} />
      <Route path="/clusters/:cluster/extensions/:name" component={Operator} />
      <Route path="/clusters/:cluster/:namespace/subscriptions/:name" component={Operator} />
      <Route path="/operators" component={Operators} />
      <Route path="/operators/:package" component={PackageSpreadPage} />
      <Route path="/approvals" component={Approvals} />
      <Route path="/approvals/together" component={Together} />
      <Route path="/approvals/:hash" component={Review} />
      <Route path="/catalogs" component={Catalogs} />
      <Route path="/catalogs/:id" component={Catalog} />
      <Route path="/catalogs/:id/packages/:package" component={PackagePage} />
      <Route path="/rollouts" component={Rollouts} />
      <Route path="/rollouts/:id" component={Rollout} />
      <Route path="/changes" component={Changes} />
      <Route path="/hub" component={Hub} />
      <Route path="/about" component={About} />
      <Route default component={Missing} />
    </Router>
  );
}

/** True if each `%` of an address can be decoded. The router fails at others. */
function isReadable(path: string): boolean {
  try {
    // The build removes a call with a result that nothing uses.
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

/** A page that fails says so; the frame stays. */
function Guarded() {
  const [failed, setFailed] = useState('');
  const { path } = useLocation();
  useEffect(() => setFailed(''), [path]);
  if (failed !== '') return <Failed what={failed} />;
  return (
    <ErrorBoundary onError={(error) => setFailed(String(error))}>
      {isReadable(path) ? <Pages /> : <Missing />}
    </ErrorBoundary>
  );
}

function App() {
  const [out, setOut] = useState(signedOut.value);
  useSignalEffect(() => {
    if (signedOut.value) forgetAnswers();
    setOut(signedOut.value);
  });
  if (out) return <SignIn />;
  return (
    <LocationProvider>
      <Frame>
        <Guarded />
      </Frame>
    </LocationProvider>
  );
}

showHiddenCharacters();
startTheme();
takeKey();
if (location.pathname === '/') {
  void fleetPage();
  askForFleet();
}
// A link with a key that is opened in a tab of the console changes the part behind `#` only.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#key=')) {
    takeKey();
    location.reload();
  }
});
startStream();
read<Me>('me').then(
  (answer) => {
    me.value = answer;
  },
  () => undefined,
);
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
