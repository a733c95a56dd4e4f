import { describe, expect, it } from 'vitest';
import { textWithoutSecrets } from './secret-texts.js';
import { withoutSecrets } from './without-secrets.js';

const PLANTED = 'hunter2';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.c2lnbmF0dXJlLW9mLWh1bnRlcjI';
const PEM = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEhunter2', 'hunter2==', '-----END RSA PRIVATE KEY-----'].join('\n');
const PACKED_PEM = btoa(PEM);

describe('an object that the console shows', () => {
  it.each<[what: string, object: unknown, kept: Record<string, string>]>([
    ['an environment variable', { env: [{ name: 'DB_PASSWORD', value: PLANTED }] }, { value: '••••' }],
    ['a configuration', { inline: { apiKey: PLANTED, watchNamespace: 'lamps' } }, { watchNamespace: 'lamps' }],
    [
      'the user of an address',
      { image: `https://robot:${PLANTED}@registry.example/mill` },
      { host: 'registry.example' },
    ],
    ['a Secret', { kind: 'Secret', stringData: { any: PLANTED } }, { any: '7 bytes' }],
    [
      'a Secret in a step of a plan',
      { plan: [{ resource: { manifest: JSON.stringify({ kind: 'Secret', data: { any: PLANTED } }) } }] },
      { any: '7 bytes' },
    ],
    ['a Secret in a list', { kind: 'List', items: [{ kind: 'Secret', data: { any: PLANTED } }] }, { any: '7 bytes' }],
    ['a manifest that is no JSON', { manifest: `kind: Secret\nstringData: {a: ${PLANTED}}` }, { manifest: '••••' }],
    ['a value below any depth', nested({ password: PLANTED }, 100), {}],
    ['files of a ConfigMap in base64', { kind: 'ConfigMap', binaryData: { any: PLANTED } }, { any: '7 bytes' }],
    ['a number', { password: 4711, replicas: 3 }, { replicas: '3' }],
  ])('does not show %s', (_what, object, kept) => {
    const shown = JSON.stringify(withoutSecrets(object));
    expect(shown).not.toContain(PLANTED);
    expect(shown).not.toContain('4711');
    for (const value of Object.values(kept)) expect(shown).toContain(value);
  });

  it.each([
    ...['password', 'dbPassword', 'db-password', 'DB_PWD', 'adminPwd', 'pwd', 'passwd', 'passphrase', 'keyPassphrase'],
    ...['clientSecret', 'client_secret', 'secretKey', 'secret_key', 'accessKey', 'access-key', 'accessKeySecret'],
    ...[
      'privateKey',
      'private_key',
      'privateKeyData',
      'client-key-data',
      'apiKey',
      'apikey',
      'API_KEY',
      'encryptionKey',
    ],
    ...['authorization', 'Authorization', 'token', 'authToken', 'bearerToken', 'refresh_token', 'jwt', 'dsn', 'DSN'],
    ...['connectionString', 'credentials', 'password1', 'passwordBase64', 'credentials.json', 'id_rsa', 'tls.key'],
    ...['sharedSecret', 'cookieSecret', 'masterKey', 'signingKey', 'accountKey', 'htpasswd', 'kubeconfig'],
    ...['secret', 'GITHUB_PAT', 'SECRET', 'AWS_SECRET_ACCESS_KEY', 'dbpassword', 'PGPASSWORD', 'MYSQL_ROOT_PASSWORD'],
  ])('hides a field %s, also a list of it and an object in it', (field) => {
    const value = { [field]: PLANTED, other: 'shown' };
    for (const object of [value, { spec: [value] }, { kind: 'ConfigMap', data: value }]) {
      const shown = JSON.stringify(withoutSecrets(object));
      expect(shown).not.toContain(PLANTED);
      expect(shown).toContain('shown');
    }
    // Whole lists and objects under names that are no field of Kubernetes.
    if (/^(?:secret|SECRET|GITHUB_PAT|DB_PWD|API_KEY|DSN|AWS)/.test(field)) return;
    const inner = { name: 'shown', any: PLANTED, more: [PLANTED] };
    for (const object of [{ [field]: [PLANTED] }, { [field]: inner }, { [field]: [inner] }])
      expect(JSON.stringify(withoutSecrets(object))).not.toContain(PLANTED);
  });

  it.each([
    ...['DB_PASSWORD', 'DB_PWD', 'OLD_PWD', 'DB_PASS', 'APP_SECRET', 'SECRET_ID', 'GITHUB_TOKEN', 'TOKEN1', 'KEY'],
    ...['TLS_KEY', 'ENCRYPTION_KEY', 'AWS_ACCESS_KEY_ID', 'DATABASE_DSN', 'AUTHORIZATION', 'db.password', 'apiToken'],
    ...['SPRING_DATASOURCE_PASSWORD', 'REDIS_CREDENTIALS', 'DBPASSWORD', 'client-secret', 'JWT', 'NPM_PAT'],
  ])('hides the value of a variable %s', (name) => {
    for (const object of [
      { name, value: PLANTED },
      { key: name, value: PLANTED },
      { name, value: [PLANTED] },
    ])
      expect(JSON.stringify(withoutSecrets({ env: [object] }))).not.toContain(PLANTED);
    expect(textWithoutSecrets(`export ${name}=${PLANTED} && run`)).not.toContain(PLANTED);
  });

  it.each<readonly string[][]>([
    [['--password=hunter2']],
    [['--password', 'hunter2']],
    [['--db-password', 'hunter2', '--verbose']],
    [['--token', 'hunter2']],
    [['--token=hunter2', '--port=80']],
    [['--client-secret', 'hunter2']],
    [['--secret=hunter2']],
    [['-password', 'hunter2']],
    [['-token=hunter2']],
    [['--api-key', 'hunter2']],
    [['--private-key=hunter2']],
    [['--header=Authorization: Bearer hunter2hunter2']],
    [['--set', 'db.password=hunter2']],
    [['-e', 'DB_PWD=hunter2']],
    [['sh', '-c', 'mysql --password hunter2 -h db']],
    [['sh', '-c', 'curl -u admin:hunter2 https://example.com']],
    [['sh', '-c', 'export PGPASSWORD=hunter2; psql']],
    [['sh', '-c', `login --password "hunter2 and more" here`]],
    [['--dsn=app:hunter2@tcp(db:3306)/app']],
    [['--url', 'postgres://app:hunter2@db/app']],
  ])('hides secrets of arguments: %j', (args) => {
    const shown = withoutSecrets({ args }) as { args: readonly string[] };
    expect(JSON.stringify(shown)).not.toContain(PLANTED);
    expect(shown.args).toHaveLength(args.length);
  });

  it.each([
    ...['postgres://app:hunter2@db:5432/app', 'amqp://app:hunter2@a,b/vhost', 'redis://:hunter2@cache:6379/0'],
    ...['mongodb+srv://app:hunter2@db.example.com/?retryWrites=true', 'https://hunter2@example.com/repo.git'],
    ...['postgres://app:p@hunter2@db/app', 'postgres://app:pa/hunter2@db/app', 'postgres://app:pa?hunter2@db/app'],
    ...['jdbc:postgresql://db/app?user=app&password=hunter2', 'https://example.com/?token=hunter2&x=1'],
    ...[
      'https://example.com/a?X-Amz-Security-Token=hunter2',
      'app:hunter2@tcp(db:3306)/app',
      'app:hunter2@db:5432/app',
    ],
    ...['Server=db;User Id=app;Password=hunter2;', 'host=db user=app password=hunter2 dbname=app', "pwd='hunter2'"],
    ...[
      'AccountName=a;AccountKey=hunter2==;EndpointSuffix=x',
      'Authorization: Bearer hunter2hunter2',
      'bearer hunter2/x',
    ],
    ...[
      'Authorization: Basic YWRtaW46aHVudGVyMg==hunter2',
      '{"password":"hunter2"}',
      '{\\"password\\": \\"hunter2\\"}',
    ],
    ...[
      '{"auths": {"r": {"auth": "aHVudGVyMg==hunter2"}}}',
      '<password>hunter2</password>',
      '<db password="hunter2"/>',
    ],
    ...['machine db login app password hunter2', 'app:$2y$05$hunter2hunter2hunter2', 'password => hunter2'],
    ...['db:\n  password: hunter2\n  host: db', 'password: hunter2 with more', '- name: x\n  token: "hunter2"'],
    ...[
      'password: |\n  hunter2\n  hunter2\nhost: db',
      'passwords:\n  - hunter2\n  - hunter2\nhost: db',
      'tokens: [hunter2, x]',
    ],
    ...[
      'db.password=hunter2 with more\nhost=db',
      'spring.datasource.password = hunter2',
      'clientSecret: hunter2',
      'DB_PWD=hunter2',
    ],
    ...[
      'credentials:\n  user: hunter2\n  nested:\n    any: hunter2',
      'a: {password: hunter2, b: c}',
      'privateKey: hunter2',
    ],
    ...[
      'password="hunter2',
      "password: 'hunter2",
      'run --password "hunter2',
      `password="${'x'.repeat(30_000)}hunter2"`,
    ],
    ...[JWT, `x ${JWT} y`, `{"t":"${JWT}"}`, PEM, PEM.replaceAll('\n', '\\n'), PEM.slice(0, 60), PACKED_PEM],
    ...[
      'ghp_hunter2hunter2hunter2hunter2',
      'glpat-hunter2hunter2hunter2',
      'xoxb-123-hunter2hunter2',
      'sha256~hunter2hunter2hunter2',
    ],
  ])('hides a text by its form: %s', (text) => {
    const wanted = text === PACKED_PEM ? PACKED_PEM.slice(60, 90) : text.includes(JWT) ? JWT.slice(25) : PLANTED;
    for (const object of [{ any: text }, [text], { kind: 'ConfigMap', data: { 'app.conf': text } }])
      expect(JSON.stringify(withoutSecrets(object))).not.toContain(wanted);
    expect(textWithoutSecrets(text)).not.toContain(wanted);
    if (!text.includes('\n')) expect(textWithoutSecrets(`said: ${text}`), 'in a sentence').not.toContain(wanted);
  });

  it('keeps names, references and what holds no secret', () => {
    const object = {
      pullSecret: 'registry-login',
      imagePullSecrets: [{ name: 'registry-login' }],
      secretName: 'db-credentials',
      secrets: ['registry-login', 'other'],
      tlsSecret: 'web-tls',
      tlsSecretRef: { name: 'web-tls', key: 'tls.key' },
      privateKey: '/etc/tls/tls.key',
      automountServiceAccountToken: true,
      tokenReviews: 'enabled',
      tokenExpirationSeconds: 3_600,
      maxTokens: 100,
      passwordPolicy: 'strict',
      passwordLength: 12,
      keyRotation: 'monthly',
      publicKey: 'ssh-ed25519',
      monkey: 'banana',
      bypass: 'never',
      compass: 'north',
      tokenizer: 'fast',
      volumes: [{ projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3_607 } }] } }],
      password: { secretKeyRef: { name: 'db', key: 'password', optional: false } },
      rules: [{ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews', 'secrets'], verbs: ['create'] }],
      properties: {
        password: { type: 'string', description: 'Of the database.' },
        token: { type: 'string', maxLength: 9 },
      },
      specDescriptors: [
        { path: 'password', displayName: 'Password', 'x-descriptors': ['urn:alm:descriptor:password'] },
      ],
    };
    expect(withoutSecrets(object)).toEqual(object);
  });

  it('keeps variables, arguments and texts that hold none', () => {
    const object = {
      env: [
        { name: 'WATCH_NAMESPACE', value: 'lamps' },
        { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        { name: 'TOKEN', value: '' },
        { name: 'PASSWORD_FILE', value: '/run/secrets/password' },
        { name: 'TOKEN_TTL', value: '15m' },
        { name: 'SECRET_NAME', value: 'db' },
        { name: 'KEYCLOAK_URL', value: 'https://sso.example.com' },
        { name: 'PUBLIC_KEY', value: 'ssh-ed25519' },
        { name: 'PWD', value: '/work' },
      ],
      args: [
        '--secret-name',
        'db',
        '--token-ttl=5m',
        '--password-file=/x',
        '--secure-port',
        '8443',
        '--token-auth-file',
        'x',
      ],
      address: 'https://registry.example/mill@sha256:abc',
      image: `registry.example:5000/mill:v1@sha256:${'a'.repeat(64)}`,
      withPort: `https://registry.example:5000/mill@sha256:${'a'.repeat(64)}`,
      mail: 'mailto:team@example.com',
      repository: 'git@github.com:example/mill.git',
      words: 'The token is read from Secret lamps/db. Set a password, and the key of it: see the page.',
      message: 'secret "db" not found; unable to retrieve some image pull secrets (registry-login)',
      time: 'started at 10:41:00, limit=5, see https://example.com/a?page=2&sort=name',
      yaml: 'apiVersion: v1\nkind: Pod\nsecretName: db\ntoken:\n  secretKeyRef:\n    name: db\n    key: token\nport: 80\n',
      shell: 'run --password "$DB_PASSWORD" --token=$TOKEN',
    };
    expect(withoutSecrets(object)).toEqual(object);
  });

  it.each([
    ['a'.repeat(2_000_000)],
    ['http://'.repeat(200_000)],
    ['a:'.repeat(500_000)],
    ['password='.repeat(200_000)],
    ['password: "'.repeat(100_000)],
    ['eyJ'.repeat(500_000)],
    ['-----BEGIN PRIVATE KEY-----'.repeat(50_000)],
    ['--a '.repeat(300_000)],
    ['<password>'.repeat(100_000)],
    ['a://b:'.repeat(200_000)],
    ['login x password '.repeat(80_000)],
    ['x: [ '.repeat(200_000)],
    ['token:\n '.repeat(150_000)],
    [' '.repeat(1_000_000)],
  ])('takes a hostile text in linear time: %#', (text) => {
    const begun = performance.now();
    textWithoutSecrets(text.slice(0, 200_000));
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

function nested(value: object, depth: number): object {
  return depth === 0 ? value : { inner: nested(value, depth - 1) };
}
