import { type Command, Option } from 'commander';
import {
  CERTIFICATE_PROVIDERS,
  type CertificateProvider,
  type RenderRefusal,
} from '#core/bundle-render/render-request';
import { ExitCode, type Io } from '../io.js';
import { type OutputFormat, printManifests } from './bundle-render-output.js';
import { gatesOf, RENDER_GATES, readSpec } from './bundle-render-spec.js';

const HELP = `
SPEC holds a ClusterExtension, or its spec alone: namespace, and config where the bundle is to be configured. Without it
the namespace is the name of the bundle's package. Nothing is read from a cluster, and nothing is written.

--cert-provider: who makes the certificates by which the API server calls the operator. A bundle with webhooks needs one.
With flotilla nothing in the output makes the certificate: who installs it fills the Secret and caBundle.

Exit codes: 0 rendered · 1 the bundle cannot be installed so, and why · 2 bad input.

Examples:
  flotilla bundle render ./bundles/foo/v1.0.0
  flotilla bundle render ./bundles/foo/v1.0.0 --spec extension.yaml --feature-gates SingleOwnNamespaceInstallSupport
  flotilla bundle render ./bundles/foo/v1.0.0 --cert-provider cert-manager -o json`;

type Options = Readonly<{
  spec?: string;
  certProvider?: CertificateProvider;
  featureGates?: string;
  output: OutputFormat;
}>;

/** `flotilla bundle render DIR`: the objects that OLM v1 makes of a bundle. */
export const bundleRenderCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('render')
    .description('show the objects that a ClusterExtension of this bundle would bring into a cluster')
    .argument('<dir>', 'directory with manifests/ and metadata/')
    .option('--spec <file>', 'ClusterExtension, or its spec; "-" reads standard input')
    .addOption(new Option('--cert-provider <name>', 'who makes certificates').choices([...CERTIFICATE_PROVIDERS]))
    .option('--feature-gates <names>', `comma-separated: ${RENDER_GATES.join(', ')}`)
    .addOption(new Option('-o, --output <format>', 'form of the objects').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', HELP)
    .action(async (directory: string, options: Options) => render(directory, options, io));

async function render(directory: string, { spec, certProvider, featureGates, output }: Options, io: Io): Promise<void> {
  const { asUsageError } = await import('../reference/load-reference.js');
  const { readTree } = await import('#platform/files/read-tree');
  const { readRegistryBundle } = await import('#core/bundle-render/read-registry-bundle');
  const { renderBundle } = await import('#core/bundle-render/render-bundle');
  const gates = gatesOf(featureGates ?? '');
  const wanted = spec === undefined ? undefined : await readSpec(spec, io);
  const files = await asUsageError(directory, () => readTree(directory));
  const bundle = readRegistryBundle(files);
  if ('error' in bundle) return refuse(bundle, output, io);
  const result = renderBundle(bundle, {
    namespace: wanted?.namespace ?? bundle.packageName,
    config: wanted?.config,
    certificateProvider: certProvider,
    gates,
  });
  if ('error' in result) return refuse(result, output, io);
  io.out(printManifests(result.objects, output));
  io.exit(ExitCode.done);
}

function refuse({ error, reason, details }: RenderRefusal, output: OutputFormat, io: Io): void {
  if (output === 'json') {
    io.out(`${JSON.stringify({ error, progressingReason: reason, ...(details && { details }) }, undefined, 2)}\n`);
  }
  io.err(`${[error, ...(details ?? [])].join('\n')}\n`);
  io.exit(ExitCode.no);
}
