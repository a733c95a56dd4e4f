import {
  type CallOptions,
  type ChannelOptions,
  Client,
  connectivityState,
  credentials,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { type GrpcBundle, type GrpcPackage, type GrpcRecords, recordsOfGrpc } from '#core/catalog/load/grpc-bundle';
import { AddressNotAllowed, refuseTarget } from '../../outbound/checked-lookup.js';
import { checkedTarget } from '../../outbound/checked-resolver.js';
import {
  addressRefusal,
  hostRefusal,
  isAddressAllowed,
  isHostListed,
  isRefusedLiteral,
  type OutboundPolicy,
} from '../../outbound/outbound-policy.js';
import { grpcRouteTo, type ProxyEnvironment, type Route, routeText } from '../../outbound/route.js';
import { RegistryError, type RegistryFailure } from '../client/registry-client.port.js';
import { type GrpcAddress, isClusterLocal, parseGrpcAddress } from './grpc-address.js';
import { serviceDefinition } from './grpc-definitions.js';
import { channelTo, unusableProxy } from './grpc-route.js';
import { ListingBudget, type Received } from './listing-budget.js';

/** gRPC's connectivity states, as OLM writes them into `lastObservedState`. */
type GrpcState = 'IDLE' | 'CONNECTING' | 'READY' | 'TRANSIENT_FAILURE' | 'SHUTDOWN';

/** Bounds on the data that a registry server may send. */
export type GrpcLimits = Readonly<{
  /** Milliseconds for one call; OLM gives a listing one minute. */
  callMs: number;
  messageBytes: number;
  /** Bytes of everything that one listing sends. */
  listBytes: number;
  bundles: number;
  /** Milliseconds of silence during a call after which the server is asked if it is still there. */
  silenceMs: number;
}>;

const MiB = 1024 * 1024;
const defaultLimits: GrpcLimits = {
  callMs: 60_000,
  messageBytes: 64 * MiB,
  listBytes: 512 * MiB,
  bundles: 200_000,
  silenceMs: 30_000,
};
const PACKAGES_AT_ONCE = 8;
/** Shared by the process. */
const LISTINGS = new ListingBudget();

const STATES: Readonly<Record<connectivityState, GrpcState>> = {
  [connectivityState.IDLE]: 'IDLE',
  [connectivityState.CONNECTING]: 'CONNECTING',
  [connectivityState.READY]: 'READY',
  [connectivityState.TRANSIENT_FAILURE]: 'TRANSIENT_FAILURE',
  [connectivityState.SHUTDOWN]: 'SHUTDOWN',
};

/** A registry server at an address: plain-text gRPC, reconnecting by itself until it is closed. */
export class GrpcCatalogClient {
  readonly limits: GrpcLimits;
  readonly #address: GrpcAddress;
  readonly #route: Route;
  readonly #policy: OutboundPolicy | undefined;
  readonly #client: Client;
  #closed = false;

  /** True if the addresses of the host were refused when it was last resolved. */
  #isRefused = false;

  /**
   * Throws RegistryError: InvalidReference if `address` is not HOST:PORT, NotAllowed if the policy refuses it
   * as it is written, Unreachable if gRPC cannot go through GRPC_PROXY. Nothing is dialled before the first
   * use; without a policy every address may be.
   */
  constructor(
    address: string,
    limits: Partial<GrpcLimits> = {},
    environment: ProxyEnvironment = process.env,
    policy?: OutboundPolicy,
    private readonly listings = LISTINGS,
  ) {
    this.limits = { ...defaultLimits, ...limits };
    this.#address = parseGrpcAddress(address);
    if (policy !== undefined) checkWritten(this.#address, policy);
    this.#policy = policy;
    this.#route = grpcRouteTo({ hostname: this.#address.host, port: this.#address.port }, environment);
    const unusable = unusableProxy(this.#route);
    if (unusable !== undefined) throw new RegistryError('Unreachable', address, `catalog at ${address}: ${unusable}`);
    const { target, ...channel } = this.#channel();
    this.#client = new Client(target, credentials.createInsecure(), {
      ...channel,
      'grpc.max_receive_message_length': this.limits.messageBytes,
      'grpc.service_config_disable_resolution': 1,
      // During calls only: Go's servers turn clients away that ask in between.
      'grpc.keepalive_time_ms': this.limits.silenceMs,
      'grpc.keepalive_timeout_ms': Math.ceil(this.limits.silenceMs / 3),
      'grpc.max_reconnect_backoff_ms': 30_000,
    } satisfies ChannelOptions);
  }

  /**
   * Opens the channel. A proxy is dialled as the environment names it; of the address itself only allowed
   * addresses are dialled.
   */
  #channel() {
    const channel = channelTo(this.#address, this.#route);
    const policy = this.#policy;
    if (policy === undefined || this.#route.proxy !== undefined) return channel;
    const resolved = (isRefused: boolean) => {
      this.#isRefused = isRefused;
    };
    const allows = (ip: string) => isAddressAllowed(ip, policy);
    return { ...channel, ...checkedTarget(channel.target, { allows, resolved }) };
  }

  /** A proxy gets no name that has only addresses here that are not allowed. */
  async #checkBehindProxy(): Promise<void> {
    if (this.#policy === undefined || this.#route.proxy === undefined) return;
    await refuseTarget(this.#address.host, this.#policy).catch((error: unknown) => {
      if (!(error instanceof AddressNotAllowed)) throw error;
      throw notAllowed(this.#address, addressRefusal(this.#address.text));
    });
  }

  get state(): GrpcState {
    if (this.#closed) return 'SHUTDOWN';
    return STATES[this.#client.getChannel().getConnectivityState(false)];
  }

  /** Calls back at every change of state until closed, and dials again whenever the connection went idle. */
  watchState(callback: (state: GrpcState) => void): void {
    const channel = this.#client.getChannel();
    const watch = (seen: connectivityState) => {
      channel.watchConnectivityState(seen, Number.POSITIVE_INFINITY, () => {
        if (this.#closed) return;
        const state = channel.getConnectivityState(true);
        callback(STATES[state]);
        watch(state);
      });
    };
    watch(channel.getConnectivityState(true));
  }

  /** Every (package, channel, bundle) triple; manifests are filled for bundles without image only. */
  async listBundles(): Promise<GrpcBundle[]> {
    return this.#counted((read) => this.#listBundles(read));
  }

  async listPackages(): Promise<string[]> {
    const names = await this.#counted((read) => this.#stream<{ name: string }>('ListPackages', 'list packages', read));
    return names.map(({ name }) => name).toSorted();
  }

  #listBundles(read: Received): Promise<GrpcBundle[]> {
    return this.#stream<GrpcBundle>('ListBundles', 'list bundles', read);
  }

  async getPackage(name: string, read: Received = { bytes: 0 }): Promise<GrpcPackage> {
    const method = definitionOf('GetPackage');
    const counted = (message: Buffer): GrpcPackage => {
      read.bytes += message.length;
      return method.responseDeserialize(message);
    };
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        counted,
        { name },
        this.#callOptions(),
        (error, answer) => {
          if (error === null && answer !== undefined) resolve(answer);
          else
            reject(
              error === null ? this.#error('get a package', 'an empty answer') : this.#failed('get a package', error),
            );
        },
      );
    });
  }

  /** The whole catalog as records for resolution, with the manifests that came inline. */
  snapshot(): Promise<GrpcRecords> {
    return this.#counted((read) => this.#snapshot(read));
  }

  async #counted<T>(list: (read: Received) => Promise<T>): Promise<T> {
    await this.#checkBehindProxy();
    const read = this.listings.begin();
    try {
      return await list(read);
    } finally {
      this.listings.end(read);
    }
  }

  async #snapshot(read: Received): Promise<GrpcRecords> {
    const bundles = await this.#listBundles(read);
    const names = [...new Set(bundles.map(({ packageName }) => packageName))].toSorted();
    const packages: GrpcPackage[] = [];
    for (let at = 0; at < names.length; at += PACKAGES_AT_ONCE) {
      const batch = names.slice(at, at + PACKAGES_AT_ONCE).map((name) => this.#packageOrNone(name, read));
      packages.push(...(await Promise.all(batch)).flat());
      if (read.bytes > this.limits.listBytes) {
        throw this.#error('list packages', `more than ${this.limits.listBytes} bytes with the bundles`, 'TooLarge');
      }
    }
    return recordsOfGrpc(bundles, packages);
  }

  /** OLM leaves out, without a word, the bundles of a package that the server will not describe. */
  #packageOrNone(name: string, read: Received): Promise<GrpcPackage[]> {
    return this.getPackage(name, read).then(
      (pkg) => [pkg],
      (error: unknown) => {
        if (error instanceof RegistryError && error.failure !== 'Unreachable') return [];
        throw error;
      },
    );
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  #callOptions(): CallOptions {
    return { deadline: Date.now() + this.limits.callMs };
  }

  async #stream<T>(name: string, doing: string, read: Received): Promise<T[]> {
    const method = definitionOf(name);
    const counted = (message: Buffer): T => {
      read.bytes += message.length;
      return method.responseDeserialize(message);
    };
    const call = this.#client.makeServerStreamRequest(
      method.path,
      method.requestSerialize,
      counted,
      {},
      this.#callOptions(),
    );
    const items: T[] = [];
    const late = AbortSignal.timeout(this.limits.callMs);
    try {
      for await (const item of call) {
        items.push(item);
        await this.listings.room(read, late)?.catch(() => {
          throw this.#error(doing, 'other large lists use the memory of the hub; the list is retried', 'Unreachable');
        });
        if (read.bytes > this.limits.listBytes || items.length > this.limits.bundles) {
          throw this.#error(
            doing,
            `more than ${this.limits.bundles} items or ${this.limits.listBytes} bytes`,
            'TooLarge',
          );
        }
      }
    } catch (error) {
      call.cancel();
      throw error instanceof RegistryError ? error : this.#failed(doing, error);
    }
    return items;
  }

  #failed(doing: string, error: unknown): RegistryError {
    if (this.#isRefused) return notAllowed(this.#address, addressRefusal(this.#address.text));
    if (!isServiceError(error)) return this.#error(doing, String(error));
    const name = status[error.code];
    const [failure, advice] = this.#meaning(error.code);
    const way = failure === 'Unreachable' ? routeText(this.#route) : undefined;
    const said = `${name}: ${error.details.slice(0, 500)}${way === undefined ? '' : `; ${way}`}`;
    return this.#error(doing, `${said}); ${advice}`, failure, '');
  }

  #meaning(code: status): readonly [RegistryFailure, string] {
    if (code === status.UNIMPLEMENTED) return ['Unsupported', 'the server there is no OLM catalog (api.Registry)'];
    if (code === status.RESOURCE_EXHAUSTED)
      return ['TooLarge', `messages are limited to ${this.limits.messageBytes} bytes`];
    if (code !== status.UNAVAILABLE && code !== status.DEADLINE_EXCEEDED) {
      return ['Malformed', 'check the log of the catalog server'];
    }
    return [
      'Unreachable',
      isClusterLocal(this.#address.host)
        ? 'only the cluster knows this name: use an address that is reachable from here (a LoadBalancer, a NodePort or an Ingress for gRPC before its Service), or use a catalog image'
        : 'check that the catalog server runs and can be reached from here',
    ];
  }

  #error(doing: string, why: string, failure: RegistryFailure = 'Malformed', end = ')'): RegistryError {
    const { text } = this.#address;
    return new RegistryError(failure, text, `failed to ${doing}: catalog at ${text} (${why}${end}`);
  }
}

function checkWritten(address: GrpcAddress, policy: OutboundPolicy): void {
  const { text, host } = address;
  if (!isHostListed(text, policy.grpcHosts)) throw notAllowed(address, hostRefusal(text, 'FLOTILLA_GRPC_HOSTS'));
  if (isRefusedLiteral(host, policy)) throw notAllowed(address, addressRefusal(text));
}

const notAllowed = ({ text }: GrpcAddress, why: string) =>
  new RegistryError('NotAllowed', text, `catalog at ${text}: ${why}`);

function definitionOf(name: string) {
  const method = serviceDefinition('api.Registry')[name];
  if (method === undefined) throw new Error(`no call ${name} in the registry protocol`);
  return method;
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'details' in error;
