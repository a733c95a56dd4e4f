import { type ChannelOptions, experimental, status } from '@grpc/grpc-js';

type Resolver = experimental.Resolver;
type Target = experimental.GrpcUri;

/** Scheme of gRPC targets with addresses that are checked after each resolution of the name. */
const SCHEME = 'flotilla-checked';
const CHECK = 'flotilla.address_check';

type AddressCheck = Readonly<{
  allows: (address: string) => boolean;
  /** Called each time that the name was resolved: whether none of its addresses is allowed. */
  resolved: (isRefused: boolean) => void;
}>;

/** Resolves as `dns:` does, and passes on the addresses that may be dialled. */
class CheckedResolver implements Resolver {
  readonly #dns: Resolver;

  constructor(target: Target, listener: experimental.ResolverListener, options: ChannelOptions) {
    const { allows, resolved }: AddressCheck = options[CHECK];
    const checked: experimental.ResolverListener = (found, ...rest) => {
      if (!found.ok) return listener(found, ...rest);
      const allowed = found.value.filter(({ addresses }) =>
        addresses.every((address) => 'host' in address && allows(address.host)),
      );
      resolved(allowed.length === 0);
      if (allowed.length > 0) return listener(experimental.statusOrFromValue(allowed), ...rest);
      const refusal = { code: status.UNAVAILABLE, details: 'no address is allowed' };
      return listener(experimental.statusOrFromError(refusal), ...rest);
    };
    this.#dns = experimental.createResolver({ scheme: 'dns', path: target.path }, checked, options);
  }

  updateResolution(): void {
    this.#dns.updateResolution();
  }

  destroy(): void {
    this.#dns.destroy();
  }

  static getDefaultAuthority(target: Target): string {
    return target.path;
  }
}

experimental.registerResolver(SCHEME, CheckedResolver);

/** Returns the target `dns:HOST:PORT` as one that dials only allowed addresses. */
export const checkedTarget = (target: string, check: AddressCheck): ChannelOptions & Readonly<{ target: string }> => ({
  target: target.replace(/^dns:/, `${SCHEME}:`),
  [CHECK]: check,
});
