import { describe, expect, test } from 'vitest';
import { makeServiceFile } from './service-file.ts';

const request = {
  directory: '/home/me/50% off "shop"',
  program: ['/usr/bin/node', '/opt/surety/bin/surety.js'],
  platform: 'linux',
  isRoot: false,
  configHome: '/home/me/.config',
} as const;

describe('the service file', () => {
  test('on Linux is a systemd unit of the user that starts and stops Surety', () => {
    const { path, text, enable } = makeServiceFile(request);
    expect(path).toMatch(
      /^\/home\/me\/\.config\/systemd\/user\/surety-50-off-shop--[0-9a-f]{8}\.service$/,
    );
    expect(text).toContain(
      'ExecStart="/usr/bin/node" "/opt/surety/bin/surety.js" "up" "--directory" "/home/me/50%% off \\"shop\\""\n',
    );
    expect(text).toContain('WantedBy=default.target');
    expect(enable).toMatch(/^systemctl --user enable --now surety-/);
  });

  test('of root is a unit of the machine', () => {
    const { path, text } = makeServiceFile({ ...request, isRoot: true });
    expect(path).toMatch(/^\/etc\/systemd\/system\/surety-/);
    expect(text).toContain('WantedBy=multi-user.target');
  });

  test('on macOS is a launchd agent', () => {
    const { path, text } = makeServiceFile({ ...request, directory: '/a&b', platform: 'darwin' });
    expect(path).toMatch(/\/LaunchAgents\/dev\.surety-a-b-[0-9a-f]{8}\.plist$/);
    expect(text).toContain('<string>/a&amp;b</string>');
  });

  test('is refused in words on other platforms', () => {
    const make = (): unknown => makeServiceFile({ ...request, platform: 'win32' });
    expect(make).toThrow('no service manager that Surety knows on win32');
  });

  test('has another name for each directory', () => {
    const pathOf = (directory: string): string => makeServiceFile({ ...request, directory }).path;
    expect(pathOf('/a/shop')).not.toBe(pathOf('/b/shop'));
  });
});
