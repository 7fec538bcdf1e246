'use strict';

const path = require('node:path');

/** Clients of HTTP, and pools of threads. */

const task = path.join(__dirname, 'task.cjs');

const clients = {
  axios: {
    install: ['a', 'axios@1.12.2'],
    make: (load) => {
      const axios = load('axios').create();
      return async ({ url, headers }) => (await axios.get(url, { headers })).data;
    },
  },
  'got 11': {
    install: ['a', 'got@11.8.6'],
    make: (load) => {
      const got = load('got');
      return ({ url, headers }) => got(url, { headers }).json();
    },
  },
  'request 2.88': {
    install: ['b', 'request@2.88.2'],
    make: (load) => {
      const request = load('request');
      return ({ url, headers }) =>
        new Promise((resolve, reject) => {
          request({ url, headers, json: true }, (error, _, body) =>
            error ? reject(error) : resolve(body),
          );
        });
    },
  },
  superagent: {
    install: ['a', 'superagent@10.2.3'],
    make: (load) => {
      const superagent = load('superagent');
      return async ({ url, headers }) => {
        const { text } = await superagent.get(url).set(headers).buffer(true);
        return JSON.parse(text);
      };
    },
  },
  'node-fetch 2': {
    install: ['a', 'node-fetch@2.7.0'],
    make: (load) => {
      const fetch = load('node-fetch');
      return async ({ url, headers }) => (await fetch(url, { headers })).json();
    },
  },
  needle: {
    install: ['a', 'needle@3.3.1'],
    make: (load) => {
      const needle = load('needle');
      return async ({ url, headers }) => {
        const { body } = await needle('get', url, { headers });
        return JSON.parse(String(body));
      };
    },
  },
  'undici 5 Pool': { install: ['c', 'undici@5.29.0'], make: poolOfOne },
  'undici 6 Pool': { install: ['b', 'undici@6.22.0'], make: poolOfOne },
  'undici 7 Pool': { install: ['a', 'undici@7.16.0'], make: poolOfOne },
  'workerpool 6': { install: ['b', 'workerpool@6.5.1'], make: workerpool },
  'workerpool 9': { install: ['c', 'workerpool@9.3.3'], make: workerpool },
  'workerpool 10': { install: ['a', 'workerpool@10.0.0'], make: workerpool },
  'piscina 4': { install: ['b', 'piscina@4.9.2'], make: piscina },
  'piscina 5': { install: ['a', 'piscina@5.1.3'], make: piscina },
  tinypool: {
    install: ['a', 'tinypool@2.0.0'],
    make: (load) => {
      const Tinypool = load('tinypool').default;
      const pool = new Tinypool({ filename: task, maxThreads: 1 });
      return async ({ load: next }) => {
        await pool.run(1);
        return next();
      };
    },
  },
  'jest-worker': {
    install: ['a', 'jest-worker@30.2.0'],
    make: (load) => {
      const { Worker } = load('jest-worker');
      const worker = new Worker(task, { numWorkers: 1, enableWorkerThreads: true });
      return async ({ load: next }) => {
        await worker.run(1);
        return next();
      };
    },
  },
};

function poolOfOne(load) {
  const { Pool } = load('undici');
  const pools = new Map();
  return async ({ url, headers }) => {
    const { origin, pathname } = new URL(url);
    if (!pools.has(origin)) pools.set(origin, new Pool(origin, { connections: 1 }));
    const { body } = await pools.get(origin).request({ path: pathname, method: 'GET', headers });
    return body.json();
  };
}

function workerpool(load) {
  const pool = load('workerpool').pool({ maxWorkers: 1, workerType: 'thread' });
  return async ({ load: next }) => {
    await pool.exec((value) => value, [1]);
    return next();
  };
}

function piscina(load) {
  const Piscina = load('piscina').default ?? load('piscina');
  const pool = new Piscina({ filename: task, maxThreads: 1 });
  return async ({ load: next }) => {
    await pool.run(1);
    return next();
  };
}

module.exports = clients;
