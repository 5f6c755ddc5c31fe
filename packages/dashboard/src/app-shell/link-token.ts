/** The secret of a one-time link. The secret follows the `#`, and browsers send that part to no server. */
import { useLocation } from 'react-router';

export function useLinkToken(): string {
  // Never decoded: a token has no characters that need escaping.
  return useLocation().hash.slice(1);
}
