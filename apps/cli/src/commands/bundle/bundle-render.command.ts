import { type Command, Option } from 'commander';
import {
  CERTIFICATE_PROVIDERS,
  type CertificateProvider,
  HUB_FEATURE_GATES,
  type Rendered,
  type RenderNeed,
  type RenderRefusal,
} from '#core/v1/bundle-render/bundle/render-request';
import { jsonText } from '../../output/data-format.js';
import { outputOption } from '../../output/output-option.js';
import { ExitCode, type Io } from '../../terminal/io.js';
import { featureGatesOf, RENDER_FEATURE_GATES } from './bundle-render-gates.js';
import type { OutputFormat } from './bundle-render-output.js';
import type { ExtensionSpec } from './bundle-render-spec.js';

const HELP = `
SPEC is a ClusterExtension, or its spec alone (namespace, config). Without it the namespace is the name of the bundle's
package. The command reads no cluster and writes nothing.

The answer is that of the hub: both feature gates are on, and Flotilla issues the certificates of webhooks. It fills their
Secret and caBundle during the install; the output has neither.
--as-olm renders as OLM v1 with its default feature gates and without a certificate provider.
--feature-gates turns on exactly these. --cert-provider: cert-manager, openshift-service-ca, flotilla, or none.

Exit codes: 0 rendered · 1 the bundle cannot be installed, with the reason · 2 bad input.

Examples:
  flotilla bundle render ./bundles/foo/v1.0.0
  flotilla bundle render ./bundles/foo/v1.0.0 --spec extension.yaml
  flotilla bundle render ./bundles/foo/v1.0.0 --as-olm
  flotilla bundle render registry.example/acme/foo-bundle:v1.0.0
  flotilla bundle render ./bundles/foo/v1.0.0 --cert-provider cert-manager -o json`;

type Options = Readonly<{
  spec?: string;
  asOlm?: boolean;
  certProvider?: CertificateProvider | 'none';
  featureGates?: string;
  output: OutputFormat;
}>;

/** Registers `flotilla bundle render REF`: the objects that OLM v1 makes of a bundle. */
export const bundleRenderCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('render')
    .description('show the objects that a ClusterExtension of this bundle would install in a cluster')
    .argument('<ref>', 'directory with manifests/ and metadata/, or bundle image')
    .option('--spec <file>', 'ClusterExtension, or its spec; "-" reads standard input')
    .option('--as-olm', 'render as OLM v1 does with its default feature gates, instead of as the hub does')
    .addOption(
      new Option('--cert-provider <name>', 'issuer of certificates (default: flotilla)').choices([
        ...CERTIFICATE_PROVIDERS,
        'none',
      ]),
    )
    .option('--feature-gates <names>', `comma-separated (default: all): ${RENDER_FEATURE_GATES.join(', ')}`)
    .addOption(outputOption('form of the objects', ['yaml', 'json']))
    .addHelpText('after', HELP)
    .action(async (reference: string, options: Options) => render(reference, options, io));

async function render(reference: string, options: Options, io: Io): Promise<void> {
  const { spec, output } = options;
  const { bundleFiles } = await import('../../inputs/bundle-files.js');
  const { readRegistryBundle } = await import('#core/v1/bundle-render/bundle/read-registry-bundle');
  const { renderBundle } = await import('#core/v1/bundle-render/render-bundle');
  const { printManifests } = await import('./bundle-render-output.js');
  const how = renderingOf(options);
  const wanted = spec === undefined ? undefined : await readSpecIn(spec, io);
  const files = await bundleFiles(reference);
  const bundle = readRegistryBundle(files);
  if ('error' in bundle) return refuse(bundle, output, io);
  const result = renderBundle(bundle, {
    namespace: wanted?.namespace ?? bundle.packageName,
    config: wanted?.config,
    ...how,
  });
  if ('error' in result) return refuse(result, output, io);
  const refusal = await refusedRevision(result);
  if (refusal !== undefined) return refuse(refusal, output, io);
  io.out(printManifests(result.objects, output));
  if (how.certificateProvider === 'flotilla') io.err(certificateNotes(result).join(''));
  io.exit(ExitCode.done);
}

/** Returns why no revision of these objects is ever rolled out; undefined if there is nothing. */
async function refusedRevision({ objects }: Rendered): Promise<RenderRefusal | undefined> {
  const { phasesOf } = await import('#core/v1/bundle-render/phases');
  const { duplicateObjects, invalidObjects } = await import('#core/v1/revision/validate-revision');
  const phases = phasesOf(objects).map((phase) => ({
    name: phase.name,
    objects: phase.objects.map((object) => ({ object })),
  }));
  const invalid = invalidObjects(phases.flatMap((phase) => phase.objects));
  if (invalid.length > 0) return { error: invalid.join('\n'), reason: 'Retrying' };
  const twice = duplicateObjects(phases);
  if (twice.length === 0) return undefined;
  const error = twice.map((one) => `${one.object}: duplicate object found in phases: ${one.phases.join(', ')}`);
  return { error: error.join('\n'), reason: 'Retrying', needs: 'eachObjectOnce' };
}

async function readSpecIn(path: string, io: Io): Promise<ExtensionSpec> {
  const { readSpec } = await import('./bundle-render-spec.js');
  return readSpec(path, io);
}

/**
 * Returns the rendering that the options ask for. Each option stands alone; an option that is not given is as
 * the hub does it, or with --as-olm as OLM v1 does.
 */
function renderingOf({ asOlm = false, certProvider, featureGates }: Options) {
  const provider = certProvider ?? (asOlm ? 'none' : 'flotilla');
  const certificateProvider = provider === 'none' ? undefined : provider;
  const open = asOlm ? {} : HUB_FEATURE_GATES;
  return { certificateProvider, gates: featureGates === undefined ? open : featureGatesOf(featureGates) };
}

/** Returns notes about the parts that the hub adds at the installation. */
const certificateNotes = ({ services }: Rendered): string[] =>
  services.map(
    ({ secretName, namespace }) =>
      `note: the hub issues the certificate in Secret ${namespace}/${secretName}, and fills in each caBundle during the installation\n`,
  );

const gateAdvice = (gate: string): string =>
  `OLM v1 requires a feature gate: --feature-gates ${gate}. The hub enables it, and so does this command without --as-olm`;

const ADVICE: Readonly<Record<RenderNeed, string>> = {
  watchNamespace:
    'this operator watches one namespace: set spec.config.inline.watchNamespace in the ClusterExtension, and pass the ClusterExtension with --spec',
  SingleOwnNamespaceInstallSupport: gateAdvice('SingleOwnNamespaceInstallSupport'),
  DeploymentConfig: gateAdvice('DeploymentConfig'),
  eachObjectOnce: 'keep one of these manifests; remove manifests of objects that OLM also creates from the CSV',
  certificateProvider:
    'its webhooks need certificates: set --cert-provider to flotilla (the hub issues them), cert-manager or openshift-service-ca',
};

function refuse({ error, reason, details, needs }: RenderRefusal, output: OutputFormat, io: Io): void {
  const advice = needs === undefined ? undefined : ADVICE[needs];
  if (output === 'json') {
    const answer = { error, progressingReason: reason, ...(details && { details }), ...(advice && { advice }) };
    io.out(jsonText(answer));
  }
  const lines = [error, ...(details ?? []), ...(advice === undefined ? [] : [`→ ${advice}`])];
  io.err(`${lines.join('\n')}\n`);
  io.exit(ExitCode.no);
}
