// Must come first: base.css sets the order of the style layers.
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
// If the page is the inbox, this import requests the first page of the list before the app has loaded.
import './pages/inbox/first-page.ts';
import { registerServiceWorkerLater } from './push/service-worker.ts';
import { preloadPage, routes } from './routes.tsx';

applyTheme();
// Fetches the session while the page itself is still loading.
queryClient
  .fetchQuery(sessionQuery)
  .then(({ signed_in: isSignedIn }) => {
    if (isSignedIn && window.location.pathname.startsWith('/approve/')) beginStreamEarly();
  })
  // The pages ask again and report the error.
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
