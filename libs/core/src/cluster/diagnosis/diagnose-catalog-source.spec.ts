import { describe, it } from 'vitest';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { check, type DiagnosisCase, source, state } from './diagnosis.fixture.js';

describe('a CatalogSource', () => {
  it.each<DiagnosisCase>([
    { because: 'it serves', diagnosis: diagnoseCatalogSource(source(state('READY'))), standing: 'well', says: /READY/ },
    {
      because: 'it serves old content',
      diagnosis: diagnoseCatalogSource(
        source({ ...state('READY'), message: 'pull failed', reason: 'RegistryServerError' }),
      ),
      standing: 'under-way',
      says: /could not be renewed\.\npull failed\./,
      todo: /catalog validate r\.example\/c:1/,
    },
    {
      because: 'its interval is odd, which hurts nobody',
      diagnosis: diagnoseCatalogSource(source({ ...state('READY'), message: 'odd', reason: 'InvalidIntervalError' })),
      standing: 'well',
      says: /odd/,
    },
    {
      because: 'a bundle of its ConfigMap cannot be read',
      diagnosis: diagnoseCatalogSource(
        source(
          { ...state('READY'), message: 'left out: package sea: bundle sea.v1: no', reason: 'BundlesLeftOut' },
          { sourceType: 'configmap', configMap: 'shelf' },
        ),
      ),
      standing: 'under-way',
      says: /without its unreadable bundles\.\nleft out: package sea: bundle sea\.v1: no\./,
      todo: /Correct ConfigMap shelf/,
    },
    {
      because: 'its spec is wrong',
      diagnosis: diagnoseCatalogSource(source({ message: 'image and address unset', reason: 'SpecInvalidError' }, {})),
      standing: 'failed',
      says: /not valid\.\nimage and address unset\./,
      todo: /Correct the spec/,
    },
    {
      because: 'a registry server is away',
      diagnosis: diagnoseCatalogSource(source(state('TRANSIENT_FAILURE'), { address: 'registry:50051' })),
      standing: 'failed',
      says: /blocks resolution/,
      todo: /registry:50051/,
    },
    {
      because: 'the hub may not read ConfigMaps',
      diagnosis: diagnoseCatalogSource(
        source(
          {
            ...state('TRANSIENT_FAILURE'),
            message: 'failed: configmaps "shelf" is forbidden: User "system:serviceaccount:hub:poller" cannot get',
          },
          { sourceType: 'configmap', configMap: 'shelf' },
        ),
      ),
      standing: 'failed',
      says: /is forbidden/,
      todo: /create rolebinding .*--clusterrole=flotilla:observe-config-maps --user=system:serviceaccount:hub:poller\n/,
    },
    ...[
      {
        because: 'a pull secret is not there',
        message: 'pull secret olm/regcred, named by CatalogSource olm/c, does not exist: create it',
        todo: /^Create the pull secret: kubectl -n olm create secret docker-registry regcred /,
      },
      {
        because: 'the hub may not read Secrets',
        message: 'secrets "regcred" is forbidden: User "system:serviceaccount:hub:poller" cannot get resource',
        todo: /create rolebinding .*--clusterrole=flotilla:observe-pull-secrets --user=system:serviceaccount:hub:poller\n/,
      },
      {
        because: 'no login was given',
        message: 'r asks for a login and no credentials were given for r: name a pull secret',
        todo: /^Name a Secret .* in spec\.secrets/,
      },
    ].map(
      ({ because, message, todo }): DiagnosisCase => ({
        because,
        diagnosis: diagnoseCatalogSource(source({ ...state('TRANSIENT_FAILURE'), message })),
        standing: 'failed',
        says: /blocks resolution/,
        todo,
      }),
    ),
    {
      because: 'first pull',
      diagnosis: diagnoseCatalogSource(source(state('CONNECTING'))),
      standing: 'under-way',
      says: /first time/,
    },
    {
      because: 'nobody looked',
      diagnosis: diagnoseCatalogSource(source()),
      standing: 'under-way',
      says: /has not read it yet/,
      todo: /status/,
    },
  ])('$because', check);
});
