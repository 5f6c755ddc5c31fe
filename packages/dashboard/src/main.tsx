// First of all: base.css says which layer of styles wins over which.
import './styles/base.css';
import './styles/tokens.css';
import './styles/controls.css';
import './styles/data.css';
import './styles/feedback.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { onSignedOut } from './api/client.ts';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { signInPath } from './app-shell/sign-in-path.ts';
import { applyTheme } from './app-shell/theme.ts';
import { registerServiceWorkerLater } from './push/service-worker.ts';
import { router } from './routes.tsx';

applyTheme();
// Who sits here is asked for while the page itself is still loading.
void queryClient.prefetchQuery(sessionQuery);
registerServiceWorkerLater();

// The session ended elsewhere, or its time is over: sign in, and come back to the same place.
onSignedOut(() => {
  const { pathname, search, hash } = router.state.location;
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  void router.navigate(signInPath(`${pathname}${search}${hash}`), { replace: true });
});

const app = document.getElementById('app');
if (app) {
  createRoot(app).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
