/** Wraps every page, signed in or not. */
import { Suspense, useEffect } from 'react';
import { type RouteObject, useLocation, useNavigate, useNavigationType, useRoutes } from 'react-router';
import { onSignedOut } from '../api/client.ts';
import { queryClient, renew } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { Announcements } from '../ui/announce.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { isWayBack } from './left-lists.ts';
import { PageBoundary } from './page-boundary.tsx';
import { signInPath } from './sign-in-path.ts';

export function App({ routes }: { routes: RouteObject[] }) {
  const page = useRoutes(routes);
  useSignInAgain();
  useScrollToTop();
  return (
    <>
      <PageBoundary>
        <Suspense fallback={<Waiting />}>{page}</Suspense>
      </PageBoundary>
      <Announcements />
    </>
  );
}

/** When the session was ended elsewhere or has expired: sends the person to sign-in and then back to the same page. */
function useSignInAgain(): void {
  const navigate = useNavigate();
  useEffect(() => {
    onSignedOut(() => {
      const { pathname, search, hash } = window.location;
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
      void renew(sessionQuery.queryKey);
      void navigate(signInPath(`${pathname}${search}${hash}`), { replace: true });
    });
  }, [navigate]);
}

/** A new page starts at the top. On the way back, the browser and the lists restore the position. */
function useScrollToTop(): void {
  const { pathname, state } = useLocation();
  const type = useNavigationType();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path tells one page from the next
  useEffect(() => {
    if (type !== 'POP' && !isWayBack(state)) window.scrollTo(0, 0);
  }, [pathname, type]);
}
