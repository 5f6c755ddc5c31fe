// First of all: base.css says which layer of styles wins over which.
import './styles/base.css';
import './styles/tokens.css';
import './styles/controls.css';
import './styles/data.css';
import './styles/feedback.css';
import './styles/print.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { App } from './app-shell/app.tsx';
import { applyTheme } from './app-shell/theme.ts';
import { beginStreamEarly } from './live/live.ts';
// Where the inbox is asked for, its first page is asked of the gate at once.
import './pages/inbox/first-page.ts';
import { registerServiceWorkerLater } from './push/service-worker.ts';
import { preloadPage, routes } from './routes.tsx';

applyTheme();
// Who sits here is asked for while the page itself is still loading.
queryClient
  .fetchQuery(sessionQuery)
  .then(({ signed_in: isSignedIn }) => {
    if (isSignedIn && window.location.pathname.startsWith('/approve/')) beginStreamEarly();
  })
  // The pages ask again, and say what is wrong.
  .catch(() => undefined);
preloadPage(window.location.pathname);
registerServiceWorkerLater();

const app = document.getElementById('app');
if (app) {
  createRoot(app).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <App routes={routes} />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  );
}
