/** The frame around every page of a signed-in person: header, navigation and page area. */
import { type ReactNode, Suspense, useState } from 'react';
import { Link, NavLink, Outlet } from 'react-router';
import { Icon, type IconName } from '../ui/icon.tsx';
import { later } from '../ui/later.tsx';
import { Skeleton } from '../ui/waiting.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { ConfirmPresence } from './confirm-presence.tsx';
import { useCurrentProject } from './current-project.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { PROJECT_PAGES } from './project-pages.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import { TestBanner } from './test-banner.tsx';
import { WaitingCount } from './waiting-count.tsx';
import './app-shell.css';
import * as words from './app-shell.words.ts';

export function AppShell() {
  return (
    <div className="shell">
      <a className="skip-link button" data-tone="primary" href="#content">
        {words.skipToContent}
      </a>
      <header className="shell-header">
        <Link to="/inbox" className="brand" aria-label={words.home}>
          <Brand />
          <span className="brand-name">{words.product}</span>
        </Link>
        <ProjectSwitcher />
        <AccountMenu />
      </header>
      <Sidebar />
      <main className="shell-main" id="content" tabIndex={-1}>
        <TestBanner />
        <OfflineBanner />
        <PageBoundary>
          <Suspense fallback={<Skeleton lines={8} />}>
            <Outlet />
          </Suspense>
        </PageBoundary>
      </main>
      <BottomBar />
      <ConfirmPresence />
    </div>
  );
}

function Sidebar() {
  const project = useCurrentProject();
  return (
    <nav className="sidebar" aria-label={words.navigation}>
      <ul className="nav-list">
        <NavItem to="/inbox" icon="inbox" label={words.inbox} />
        <NavItem to="/history" icon="history" label={words.history} />
      </ul>
      {project && (
        <>
          <div className="nav-heading">{words.project}</div>
          <ul className="nav-list">
            {PROJECT_PAGES.map(({ path, label, icon }) => (
              <NavItem key={path} to={`/projects/${project.project_id}/${path}`} icon={icon} label={label}>
                {path === 'policy' && <WaitingCount projectId={project.project_id} />}
              </NavItem>
            ))}
          </ul>
        </>
      )}
    </nav>
  );
}

function NavItem({
  to,
  icon,
  label,
  children,
}: {
  to: string;
  icon: IconName;
  label: string;
  children?: ReactNode;
}) {
  return (
    <li>
      <NavLink to={to} className="nav-item">
        <Icon name={icon} />
        {label}
        {children}
      </NavLink>
    </li>
  );
}

/** Loaded when it is opened: most visits do not need it. */
const ProjectSheet = later(() => import('./project-sheet.tsx'), 'default');

/** On a phone: the pages that an approver needs most. A sheet lists the project's pages. */
function BottomBar() {
  const project = useCurrentProject();
  const [isOpen, setOpen] = useState(false);
  return (
    <nav className="bottom-bar" aria-label={words.navigation}>
      <NavLink to="/inbox">
        <Icon name="inbox" size={20} />
        {words.inbox}
      </NavLink>
      <NavLink to="/history">
        <Icon name="history" size={20} />
        {words.history}
      </NavLink>
      {project && (
        <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="menu" size={20} />
          {words.project}
        </button>
      )}
      <NavLink to="/account">
        <Icon name="account" size={20} />
        {words.account}
      </NavLink>
      {isOpen && project && <ProjectSheet project={project} onClose={() => setOpen(false)} />}
    </nav>
  );
}
