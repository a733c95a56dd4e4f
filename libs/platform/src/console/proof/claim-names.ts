import type { ClaimNames } from '#core/view/rights/account';
import type { Settings } from '../../config/settings.js';

/** Returns the claims that name a person: the same for the console and for the readers of its proofs. */
export const claimNamesOf = (settings: Settings): ClaimNames => ({
  name: settings.consoleOidcNameClaim,
  groups: settings.consoleOidcGroupsClaim,
  takesVerifiedText: settings.consoleOidcVerifiedText,
});
