import { useQuery } from '@tanstack/react-query';
import { isRefusal } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { useLinkToken } from './link-token.ts';

/**
 * Previews this page's one-time link. A preview does not use the link up.
 *
 * @param isUsed Whether this page has used the link since; then it is not read again.
 */
export function useLinkPreview<T>(kind: 'set-up' | 'invitations', isUsed: boolean) {
  const token = useLinkToken();
  const preview = useQuery({
    queryKey: [kind, token],
    queryFn: ({ signal }) =>
      api.post<T>(`/console/${kind}/look`, { token }, { signal, staysOnUnauthorized: true }),
    enabled: token !== '' && !isUsed,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isDead =
    token === '' || isRefusal(preview.error, 'not_found') || isRefusal(preview.error, 'invalid_request');
  return { token, preview, isDead };
}
