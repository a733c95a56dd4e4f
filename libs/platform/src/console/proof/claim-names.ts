import type { ClaimNames } from '#core/view/rights/account';
import type { Settings } from '../../config/settings.js';

/** The claims that name a person: the same for the console and for those who check it. */
export const claimNamesOf = (settings: Settings): ClaimNames => ({
  name: settings.consoleOidcNameClaim,
  groups: settings.consoleOidcGroupsClaim,
  takesVerifiedText: settings.consoleOidcVerifiedText,
});
